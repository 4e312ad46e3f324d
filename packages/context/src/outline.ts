/**
 * The names worth keeping of a long text: paths, then symbols, each once, in order of appearance, within `maxChars`.
 */
export function outlineOf(text: string, maxChars = 240): string {
  const paths = new Set<string>();
  const symbols = new Set<string>();
  for (const [name] of text.slice(0, 200_000).matchAll(NAME)) {
    if (name.length > 80) continue;
    if (/[/.]/.test(name)) paths.add(name);
    else if (isSymbol(name)) symbols.add(name);
  }
  return joinWithin([...paths, ...symbols], maxChars);
}

/** Bounded everywhere: without bounds, its time grows with the square of a text such as `a-a-a-…`. */
const NAME = /[A-Za-z_][\w-]{0,80}(?:[./][\w-]{1,80}){1,20}|[A-Za-z_]\w{5,}/g;

/** Looks like an identifier rather than a word of prose. */
export function isSymbol(name: string): boolean {
  return /[a-z][A-Z]|_[A-Za-z]|[A-Za-z]\d/.test(name);
}

export function joinWithin(names: readonly string[], maxChars: number): string {
  const kept: string[] = [];
  let chars = 0;
  for (const name of names) {
    if (chars + name.length + 2 > maxChars) break;
    kept.push(name);
    chars += name.length + 2;
  }
  return kept.join(', ');
}
