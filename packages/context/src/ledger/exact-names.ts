/**
 * Returns the exact names in a text: paths, identifiers, hashes and numbers. A model must spell them exactly and cannot
 * guess them.
 *
 * In arguments as JSON, a name at the start of a line follows an escape. The name keeps it, as in `\\tthis.items`,
 * because the model wrote it so.
 */
export function exactNamesIn(text: string): Set<string> {
  const names = new Set<string>();
  for (const match of text.matchAll(NAME)) {
    const [name] = match;
    if (name.length < MIN_CHARS || name.length > MAX_CHARS || !MARKED.test(name)) continue;
    names.add(isEscape(text, match.index) ? `\\${name}` : name);
  }
  return names;
}

/** Returns whether the character at `index` is the letter of an escape such as `\\n`. */
function isEscape(text: string, index: number): boolean {
  if (!ESCAPE_LETTERS.has(text[index] ?? '')) return false;
  let backslashes = 0;
  while (text[index - 1 - backslashes] === '\\' && backslashes < 8) backslashes += 1;
  return backslashes % 2 === 1;
}

const ESCAPE_LETTERS = new Set(['n', 't', 'r']);

/** All repetitions are bounded. Without bounds, the time grows with the square of a text such as `a-a-a-…`. */
export const NAME =
  /(?<![A-Za-z_])[A-Za-z_](?:[\w-]{0,80}(?:[./:][\w-]{1,80}){1,24}|\w{5,119})|\b[0-9a-f]{7,40}\b|\b\d{4,20}\b/g;
const MIN_CHARS = 6;
const MAX_CHARS = 160;

/** An exact name has one of these; a word of prose has none. */
const MARKED = /[/.:_\d]|[a-z][A-Z]/;

const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,7}$/;
const SOURCE_FILE =
  /\.(?:[cm]?[jt]sx?|py|md|json|ya?ml|toml|cfg|txt|sh|html|css|sql|rs|go|c|h|cpp|java|rb|php|vue|svelte)$/;

/**
 * Returns the place that a command or other arguments are about: the first path with an extension, or else the first
 * path.
 */
export function placeNamedIn(text: string): string | undefined {
  let folder: string | undefined;
  for (const { 0: found, index } of text.slice(0, 20_000).matchAll(NAME)) {
    const isPath = found.includes('/');
    const name =
      isPath && text[index - 1] === '/' && !/[\w.~]/.test(text[index - 2] ?? '') ? `/${found}` : found;
    if (!name.includes(':') && (isPath ? EXTENSION : SOURCE_FILE).test(name)) return name;
    if (isPath) folder ??= name;
  }
  return folder;
}
