const MAX_STARTS = 8;
const MAX_START_CHARS = 80;

/** Used until the first start is learned, because the first element can be damaged. */
const COMMON_STARTS: ReadonlySet<string> = new Set(['{"role"', '{"info":{"', '{"id":', '{"content"']);

/**
 * Learns how the elements of a list start (`{"role"`, with its whitespace), and finds the next such start after damage.
 */
export class StartFinder {
  #starts: ReadonlySet<string> = COMMON_STARTS;
  /** The end of the previous text, because a start can be split between two texts. */
  #tail = '';

  /** Whether an element has been seen. */
  get isReady(): boolean {
    return this.#starts !== COMMON_STARTS;
  }

  learn(element: string): void {
    const learned = this.isReady ? this.#starts : new Set<string>();
    if (learned.size >= MAX_STARTS) return;
    const start = /^\{\s*"[^"\\]*"/.exec(element.slice(0, MAX_START_CHARS));
    if (start !== null && !learned.has(start[0])) this.#starts = new Set([...learned, start[0]]);
  }

  find(text: string, from: number): number {
    let first = -1;
    for (const start of this.#starts) {
      const index = text.indexOf(start, from);
      if (index !== -1 && (first === -1 || index < first)) first = index;
    }
    return first;
  }

  /** Returns the text from the next start on, or undefined if the text contains none. */
  seek(text: string): string | undefined {
    const whole = this.#tail + text;
    const index = this.find(whole, 0);
    this.#tail = index === -1 ? whole.slice(-MAX_START_CHARS) : '';
    return index === -1 ? undefined : whole.slice(index);
  }
}
