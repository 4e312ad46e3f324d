/** How `edit` finds and replaces text, whatever the line ends of the file. Pure. */

export interface Replacement {
  /** Offset in the file's text with plain line feeds, before any replacement. */
  start: number;
  /** Number of the line it starts in, from 1, before any replacement. */
  line: number;
}

/** Offsets of all matches that do not overlap. */
export function findMatches(text: string, wanted: string): Replacement[] {
  const matches: Replacement[] = [];
  let line = 1;
  let nextBreak = text.indexOf('\n');
  for (let start = text.indexOf(wanted); start !== -1; start = text.indexOf(wanted, start + wanted.length)) {
    while (nextBreak !== -1 && nextBreak < start) {
      line += 1;
      nextBreak = text.indexOf('\n', nextBreak + 1);
    }
    matches.push({ start, line });
  }
  return matches;
}

/** Line ends as the model writes them. */
export function toLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/**
 * Replaces `length` characters at each of `matches`. Offsets count a CRLF of the file as one character; every line end outside
 * the matches stays as it is, and new ones are CRLF where the replaced text or, if that has none, most of the file has them.
 */
export function replaceMatches(
  original: string,
  matches: readonly Replacement[],
  { length, replacement }: { length: number; replacement: string },
): string {
  const toOriginal = mapOffsets(original);
  const fileIsCrlf = isMostlyCrlf(original);
  const pieces: string[] = [];
  let copied = 0;
  for (const { start } of matches) {
    const from = toOriginal(start);
    const to = toOriginal(start + length);
    const replaced = original.slice(from, to);
    const wantsCrlf = replaced.includes('\n') ? isMostlyCrlf(replaced) : fileIsCrlf;
    pieces.push(original.slice(copied, from), wantsCrlf ? replacement.replaceAll('\n', '\r\n') : replacement);
    copied = to;
  }
  pieces.push(original.slice(copied));
  return pieces.join('');
}

function isMostlyCrlf(text: string): boolean {
  const crlf = text.split('\r\n').length - 1;
  return crlf * 2 > text.split('\n').length - 1;
}

/** From offsets in `toLineFeeds(original)` to offsets in `original`; calls must ascend. */
function mapOffsets(original: string): (offset: number) => number {
  let passed = 0;
  let next = original.indexOf('\r\n');
  return (offset) => {
    while (next !== -1 && next - passed < offset) {
      passed += 1;
      next = original.indexOf('\r\n', next + 2);
    }
    return offset + passed;
  };
}
