import type { NewOutput } from '../../ports/background.ts';

const MAX_UNREAD_CHARS = 1_000_000;
const LAST_LINES = 3;
/** More of a line is not shown. */
const MAX_LINE_CHARS = 300;

/** Keeps the end of an output until it is read. Its memory is bounded, however long the output is. */
export class UnreadOutput {
  #text = '';
  #droppedChars = 0;
  #lastLines: readonly string[] = [];
  /** The beginning of a line whose end has not arrived. */
  #openLine = '';

  push(text: string): void {
    this.#text += text;
    // Cut only occasionally, so that the cost stays linear in the output.
    if (this.#text.length > 2 * MAX_UNREAD_CHARS) this.#cut();
    const lines = (this.#openLine + text.slice(-4 * MAX_LINE_CHARS)).split('\n');
    this.#openLine = (lines.at(-1) ?? '').slice(-MAX_LINE_CHARS);
    const filled = lines.slice(0, -1).filter((line) => line.trim() !== '');
    const shown = filled.map((line) => line.trimEnd().slice(0, MAX_LINE_CHARS));
    this.#lastLines = [...this.#lastLines, ...shown].slice(-LAST_LINES);
  }

  get lastLines(): readonly string[] {
    const open = this.#openLine.trim() === '' ? [] : [this.#openLine.trimEnd()];
    return [...this.#lastLines, ...open].slice(-LAST_LINES);
  }

  peek(): NewOutput {
    this.#cut();
    return { text: this.#text, droppedChars: this.#droppedChars };
  }

  take(): NewOutput {
    const taken = this.peek();
    this.#text = '';
    this.#droppedChars = 0;
    return taken;
  }

  /** Keeps whole lines, unless one line is longer than all that is kept. */
  #cut(): void {
    const over = this.#text.length - MAX_UNREAD_CHARS;
    if (over <= 0) return;
    const lineEnd = this.#text.indexOf('\n', over);
    const from = lineEnd === -1 || lineEnd === this.#text.length - 1 ? over : lineEnd + 1;
    this.#text = this.#text.slice(from);
    this.#droppedChars += from;
  }
}
