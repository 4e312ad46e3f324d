const KEPT_CHARS = 4_000;
const SHOWN_LINES = 5;
const SHOWN_CHARS = 500;

/** Keeps the end of what a server has written beside the protocol, for messages about its failures. */
export class OutputTail {
  #text = '';

  add(text: string): void {
    this.#text = `${this.#text}${text}`.slice(-KEPT_CHARS);
  }

  /** Returns the last lines, or an empty text. */
  lastLines(): string {
    const lines = this.#text.split('\n').filter((line) => line.trim() !== '');
    return lines.slice(-SHOWN_LINES).join('\n').slice(-SHOWN_CHARS);
  }
}
