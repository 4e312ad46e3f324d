const KEPT_CHARS = 4_000;
const SHOWN_LINES = 5;
const SHOWN_CHARS = 500;

/** Keeps the end of what a server has written beside the protocol, for messages about its failures. */
export class OutputTail {
  #text = '';

  add(text: string): void {
    this.#text = `${this.#text}${text}`.slice(-KEPT_CHARS);
  }

  /** Returns the last lines, after the newest line that names an error, or an empty text. */
  lastLines(): string {
    const lines = this.#text.split('\n').filter((line) => line.trim() !== '');
    const last = lines.slice(-SHOWN_LINES);
    const error = lines.findLast((line) => /^\w*Error: /.test(line));
    const shown = last.join('\n').slice(-SHOWN_CHARS);
    return error === undefined || last.includes(error)
      ? shown
      : `${error.slice(0, SHOWN_CHARS)}\n…\n${shown}`;
  }
}
