import { headOf } from '../cut-middle.ts';

/** Returns a text on one line, with its end cut if it is longer than `maxChars`. */
export function oneLine(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${headOf(line, maxChars - 1)}…`;
}
