/**
 * Returns the exact names in a text: paths, identifiers, hashes and numbers. A model must spell them exactly and cannot
 * guess them. A name after an escape such as `\\x1b` or `\\u003c` begins after it. After `\\n`, `\\r` or `\\t` a name keeps the
 * escape, which marks a name that began a line.
 */
export function exactNamesIn(text: string): Set<string> {
  const names = new Set<string>();
  for (const match of text.matchAll(NAME)) {
    const name = withoutEscape(text, match);
    if (name.length < MIN_CHARS || name.length > MAX_CHARS || !MARKED.test(name)) continue;
    names.add(name === match[0] || !LINE_ESCAPE.test(match[0]) ? name : `\\${match[0]}`);
  }
  return names;
}

function withoutEscape(text: string, { 0: name, index }: RegExpExecArray): string {
  const found = text[index - 1] === '\\' ? ESCAPE.exec(name)?.[0] : undefined;
  if (found === undefined) return name;
  let backslashes = 1;
  while (text[index - 1 - backslashes] === '\\' && backslashes < 8) backslashes += 1;
  return backslashes % 2 === 0 ? name : name.slice(found.length).replace(/^[^A-Za-z_\d]+/, '');
}

const LINE_ESCAPE = /^[nrt]/;

/** The rest of an escape after its backslash. */
const ESCAPE = /^(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|[nrt])/;

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
