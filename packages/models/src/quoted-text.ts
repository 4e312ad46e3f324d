/**
 * Follows Markdown text, and knows whether its next character is in code, in a quotation, or after a quotation mark.
 */
export class QuotationTracker {
  #line = '';
  /** The lines of the paragraph before the current line. */
  #paragraph = '';
  #fence = '';
  /** Elements of HTML for code and quotations that are open. */
  #open: string[] = [];

  push(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) this.#endLine(line);
  }

  /** The text after the last newline. */
  get line(): string {
    return this.#line;
  }

  get isQuoted(): boolean {
    const line = this.#line;
    if (this.#fence !== '' || this.#open.length > 0 || fenceIn(line) !== '') return true;
    if (/^\s*>/.test(line) || /^(?: {4}|\t)/.test(line) || /["'“„‘«(]$/.test(line)) return true;
    return isInSpan((this.#paragraph + line).slice(-MAX_PARAGRAPH_CHARS));
  }

  #endLine(line: string): void {
    const fence = fenceIn(line);
    if (this.#fence !== '') {
      if (fence.startsWith(this.#fence) && line.trim() === fence) this.#fence = '';
      return;
    }
    this.#fence = fence;
    const isBreak = fence !== '' || line.trim() === '' || /^\s*(?:>|[-*+] |\d+[.)] |#)/.test(line);
    const paragraph = isBreak ? '' : this.#paragraph;
    this.#paragraph =
      line.trim() === '' || fence !== '' ? '' : `${paragraph}${line}\n`.slice(-MAX_PARAGRAPH_CHARS);
    for (const [, slash, name = ''] of line.matchAll(QUOTING_ELEMENT)) {
      if (slash === '') this.#open.push(name);
      else this.#open = this.#open.slice(0, Math.max(0, this.#open.lastIndexOf(name)));
    }
  }
}

/** Whether the next character after the text is in code, in a quotation, or after a quotation mark. */
export function isQuoted(text: string): boolean {
  const tracker = new QuotationTracker();
  tracker.push(text);
  return tracker.isQuoted;
}

/** Text before it cannot make a later character code. */
const MAX_PARAGRAPH_CHARS = 4_000;

const QUOTING_ELEMENT = /(?<![\w`])<(\/?)(pre|code|blockquote)>/g;

/** Returns the backticks or tildes with which a line opens or closes a code fence, or an empty text. */
function fenceIn(line: string): string {
  return /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? '';
}

/** Whether a paragraph ends within inline code, or within a quotation that has begun after a blank. */
function isInSpan(paragraph: string): boolean {
  let ticks = '';
  for (const [run] of paragraph.matchAll(/`+/g)) {
    if (ticks === '') ticks = run;
    else if (run === ticks) ticks = '';
  }
  return ticks !== '' || /(?:^|[\s(:])(?:"[^"]*|“[^”“]*|«[^»«]*|„[^“”„]*)$/.test(paragraph);
}
