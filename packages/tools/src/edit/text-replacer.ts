/** Finds and replaces text for `edit`, independent of the file's line ends. Pure. */

export interface Replacement {
  /** Offset in the file's text with plain line feeds, before any replacement. */
  start: number;
  /** Number of the line it starts in, from 1, before any replacement. */
  line: number;
}

/** Returns all matches, by default only those that do not overlap an earlier one. */
export function findMatches(
  text: string,
  wanted: string,
  { step = wanted.length }: { step?: number } = {},
): Replacement[] {
  const matches: Replacement[] = [];
  let line = 1;
  let nextBreak = text.indexOf('\n');
  for (let start = text.indexOf(wanted); start !== -1; start = text.indexOf(wanted, start + step)) {
    while (nextBreak !== -1 && nextBreak < start) {
      line += 1;
      nextBreak = text.indexOf('\n', nextBreak + 1);
    }
    matches.push({ start, line });
  }
  return matches;
}

/** Converts line ends to the line feeds that models write. */
export function toLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Returns the number of the line that an offset is in, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/**
 * Replaces the text at each of `places`, in ascending order. Offsets count a CRLF of the file as one character. Line
 * ends outside the places stay unchanged. New line ends are CRLF if most line ends of the replaced text are, or, if it
 * has none, if most of the file's are.
 */
export function replacePlaces(
  original: string,
  places: readonly { start: number; end: number; text: string }[],
): string {
  const toOriginal = mapOffsets(original);
  const fileIsCrlf = isMostlyCrlf(original);
  const pieces: string[] = [];
  let copied = 0;
  for (const { start, end, text } of places) {
    const from = toOriginal(start);
    const to = toOriginal(end);
    const replaced = original.slice(from, to);
    const wantsCrlf = replaced.includes('\n') ? isMostlyCrlf(replaced) : fileIsCrlf;
    pieces.push(original.slice(copied, from), wantsCrlf ? text.replaceAll('\n', '\r\n') : text);
    copied = to;
  }
  pieces.push(original.slice(copied));
  return pieces.join('');
}

function isMostlyCrlf(text: string): boolean {
  const crlf = text.split('\r\n').length - 1;
  return crlf * 2 > text.split('\n').length - 1;
}

/** Maps offsets in `toLineFeeds(original)` to offsets in `original`. Calls must have ascending offsets. */
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
