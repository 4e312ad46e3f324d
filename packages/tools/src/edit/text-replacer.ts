import { type Differ, loadDiffer } from './carry-spelling.ts';
import { hasMixedLineEnds, isMostlyCrlf, keepLineEnds } from './line-ends.ts';

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
 * Replaces the text at each of `places`, in ascending order. Offsets count a CRLF of the file as one character. Lines
 * that stay keep their line ends. New line ends are CRLF if most line ends of the replaced text are, or, if it has
 * none, if most of the file's are.
 */
export async function replacePlaces(
  original: string,
  places: readonly { start: number; end: number; text: string }[],
  load: () => Promise<Differ> = loadDiffer,
): Promise<string> {
  const toOriginal = mapOffsets(original);
  const fileIsCrlf = isMostlyCrlf(original);
  const differ = hasMixedLineEnds(original) ? await load() : undefined;
  const spans = places.map(({ start, end, text }) => ({
    from: toOriginal(start),
    to: toOriginal(end),
    text,
  }));
  const pieces: string[] = [];
  let copied = 0;
  for (const [index, { from, to, text }] of spans.entries()) {
    const replaced = original.slice(from, to);
    const added = (replaced.includes('\n') ? isMostlyCrlf(replaced) : fileIsCrlf) ? '\r\n' : '\n';
    // The line end after the place belongs to its last line, unless the next place begins with it.
    const after = differ === undefined ? '' : lineEndAt(original, to, spans[index + 1]?.from);
    pieces.push(
      original.slice(copied, from),
      differ === undefined
        ? text.replaceAll('\n', added)
        : keepLineEnds(
            { replaced: replaced + after, text: after === '' ? text : `${text}\n`, added },
            differ,
          ),
    );
    copied = to + after.length;
  }
  pieces.push(original.slice(copied));
  return pieces.join('');
}

function lineEndAt(text: string, at: number, limit = text.length): string {
  const end = text.startsWith('\r\n', at) ? '\r\n' : text.startsWith('\n', at) ? '\n' : '';
  return at + end.length <= limit ? end : '';
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
