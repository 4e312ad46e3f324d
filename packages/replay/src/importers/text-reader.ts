import type { ReportDraft } from './report.ts';
import type { TextImporter } from './text-importer.ts';

/** Splits Markdown into lines. A line ends with `\n` or `\r\n`. */
export class TextReader {
  readonly #report: ReportDraft;
  readonly #importer: TextImporter;
  readonly #settle: () => void;
  #pieces: string[] = [];
  #line = 0;

  constructor(report: ReportDraft, importer: TextImporter, settle: () => void) {
    this.#report = report;
    this.#importer = importer;
    this.#settle = settle;
  }

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#pieces.push(text.slice(from, end));
      this.#endLine();
      from = end + 1;
    }
    if (from < text.length) this.#pieces.push(text.slice(from));
  }

  end(): void {
    if (this.#pieces.length > 0) this.#endLine();
    this.#importer.end();
  }

  #endLine(): void {
    const line = this.#pieces.join('');
    this.#pieces = [];
    this.#line += 1;
    this.#report.where = `line ${this.#line}`;
    this.#importer.line(line.endsWith('\r') ? line.slice(0, -1) : line);
    this.#settle();
  }
}
