import type { Differ } from './carry-spelling.ts';

/** Whether a text has both CRLF and plain line feeds. */
export function hasMixedLineEnds(text: string): boolean {
  return text.includes('\r\n') && /(?:^|[^\r])\n/.test(text);
}

export function isMostlyCrlf(text: string): boolean {
  const crlf = text.split('\r\n').length - 1;
  return crlf * 2 > text.split('\n').length - 1;
}

/**
 * Returns a new text with the line ends of the replaced one: a line that stays keeps its own, and a line that replaces
 * one takes over that line's. Other lines are added with `added`.
 *
 * @param text The new text, with line feeds.
 */
export function keepLineEnds(
  { replaced, text, added }: { replaced: string; text: string; added: '\n' | '\r\n' },
  differ: Differ,
): string {
  const oldEnds = [...replaced.matchAll(/\r?\n/g)].map(([end]) => end);
  const lines = text.split('\n');
  const newEnds: (string | undefined)[] = [];
  let read = 0;
  let removed = 0;
  for (const change of differ.lines(replaced.split(/\r?\n/), lines)) {
    const count = change.value.length;
    const isPaired = change.added && count === removed;
    const from = change.added ? read - removed : read;
    const keeps = isPaired || !change.added;
    if (!change.removed)
      newEnds.push(...change.value.map((_, index) => (keeps ? oldEnds[from + index] : undefined)));
    if (!change.added) read += count;
    removed = change.removed ? count : 0;
  }
  return lines
    .map((line, index) => (index === lines.length - 1 ? line : line + (newEnds[index] ?? added)))
    .join('');
}
