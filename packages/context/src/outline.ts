import { exactNamesIn } from './ledger/exact-names.ts';
/** Returns the exact names in a long text, each once, in order of appearance, within `maxChars`. */
export function outlineOf(text: string, maxChars = 240): string {
  return joinWithin([...exactNamesIn(text.slice(0, 200_000))], maxChars);
}

function joinWithin(names: readonly string[], maxChars: number): string {
  const kept: string[] = [];
  let chars = 0;
  for (const name of names) {
    if (chars + name.length + 2 > maxChars) break;
    kept.push(name);
    chars += name.length + 2;
  }
  return kept.join(', ');
}
