import type { JsonObject } from '@longhaul/protocol';
import { parseObjects } from './parse-objects.ts';
import type { ReportDraft } from './report.ts';

/** A longer line is skipped, so that memory is bounded. */
const MAX_LINE_CHARS = 96_000_000;

/**
 * Splits JSONL text at `\n` and reads the objects of each line. Other line separators are characters in strings. A line
 * that repeats the line before it is skipped.
 */
export class LineReader {
  readonly #report: ReportDraft;
  readonly #read: (row: JsonObject) => void;
  #pieces: string[] = [];
  #chars = 0;
  #line = 1;
  #previous = '';

  constructor(report: ReportDraft, read: (row: JsonObject) => void) {
    this.#report = report;
    this.#read = read;
  }

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#append(text.slice(from, end));
      this.#endLine(false);
      from = end + 1;
    }
    this.#append(text.slice(from));
  }

  end(): void {
    if (this.#chars > 0) this.#endLine(true);
  }

  #append(piece: string): void {
    if (piece === '') return;
    this.#chars += piece.length;
    if (this.#chars <= MAX_LINE_CHARS) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  #endLine(isLast: boolean): void {
    const text = this.#pieces.join('');
    const chars = this.#chars;
    const isTooLong = chars > MAX_LINE_CHARS;
    this.#report.where = `line ${this.#line}`;
    this.#pieces = [];
    this.#chars = 0;
    this.#line += 1;
    if (isTooLong) this.#skipLine(chars);
    else if (text.trim() !== '') this.#readLine(text, isLast);
  }

  #skipLine(chars: number): void {
    this.#report.skip(`lines over ${MAX_LINE_CHARS / 1e6} million characters`);
    this.#report.report.unread.chars += chars;
  }

  #readLine(text: string, isLast: boolean): void {
    if (text === this.#previous) {
      this.#report.skip('lines that repeat the line before');
      return;
    }
    this.#previous = text;
    const { objects, problem, unreadChars } = parseObjects(text);
    this.#report.report.unread.chars += unreadChars;
    const isCut = isLast && problem !== undefined && !text.trimEnd().endsWith('}');
    if (isCut)
      this.#report.skip(
        'the last line, which is incomplete: the file is still being written, or was cut off',
      );
    else if (problem !== undefined) this.#report.skip(problem);
    for (const row of objects) this.#read(row);
  }
}
