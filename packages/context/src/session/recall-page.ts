import { endBefore } from '../surrogates.ts';

/** An answer of `recall` must not fill the window that it helps to keep free. */
export const RECALL_MAX_CHARS = 12_000;
/** Lines of a page, unless the model asks for another number. */
const DEFAULT_LINES = 200;
/** Longer lines are folded and each piece counts as a line, so that line numbers reach every character. */
export const RECALL_FOLD_CHARS = 2_000;

/** Some lines of a recalled text. */
export interface RecallPage {
  lines: string[];
  /** Number of the first line, from 1. */
  from: number;
  /** Lines of the whole text, pieces of folded lines counted. */
  totalLines: number;
  /** Whether any line of the text is folded. */
  hasFolds: boolean;
}

/** Which lines of a text are recalled. */
export interface RecallPageOptions {
  /** First line, from 1. Default 1. */
  from?: number | undefined;
  /** Default 200. */
  lines?: number | undefined;
  /** Applied to each shown line before its characters are counted. */
  clean?: (line: string) => string;
}

/**
 * Returns one page of a text: at most `lines` lines and `RECALL_MAX_CHARS` characters, but at least one line if `from`
 * is in the text. A final line feed ends the last line and starts no other.
 *
 * Walks the text once without splitting it, because it can be hundreds of megabytes long.
 */
export function recallPage(text: string, options: RecallPageOptions = {}): RecallPage {
  const { from = 1, lines: maxLines = DEFAULT_LINES, clean = (line) => line } = options;
  const page: RecallPage = { lines: [], from, totalLines: 0, hasFolds: false };
  let chars = 0;
  let isFull = false;
  for (const { start, end, isFold } of foldedLines(text)) {
    page.totalLines += 1;
    page.hasFolds ||= isFold;
    if (page.totalLines < from || isFull) continue;
    const line = clean(text.slice(start, end));
    isFull =
      page.lines.length >= maxLines || (page.lines.length > 0 && chars + line.length + 1 > RECALL_MAX_CHARS);
    if (isFull) continue;
    page.lines.push(line);
    chars += line.length + 1;
  }
  return page;
}

function* foldedLines(text: string): Generator<{ start: number; end: number; isFold: boolean }> {
  let start = 0;
  while (start < text.length) {
    const lineFeed = text.indexOf('\n', start);
    const lineEnd = lineFeed === -1 ? text.length : lineFeed;
    while (lineEnd - start > RECALL_FOLD_CHARS) {
      const end = endBefore(text, start + RECALL_FOLD_CHARS);
      yield { start, end, isFold: true };
      start = end;
    }
    yield { start, end: lineEnd, isFold: false };
    start = lineEnd + 1;
  }
}
