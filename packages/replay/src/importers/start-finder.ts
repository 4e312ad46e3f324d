const MAX_STARTS = 8;
const MAX_START_CHARS = 80;

/** Taken until one is learned: the first element itself may be damaged. */
const COMMON_STARTS: ReadonlySet<string> = new Set(['{"role"', '{"info":{"', '{"id":', '{"content"']);

/** Learns how the elements of a list begin (`{"role"`, with the blanks as they are), and finds such a beginning again after damage. */
export class StartFinder {
  #starts: ReadonlySet<string> = COMMON_STARTS;
  /** The end of the text before: a beginning may stand across two. */
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

  /** The text from the next beginning on, or undefined when it has not come yet. */
  seek(text: string): string | undefined {
    const whole = this.#tail + text;
    const index = this.find(whole, 0);
    this.#tail = index === -1 ? whole.slice(-MAX_START_CHARS) : '';
    return index === -1 ? undefined : whole.slice(index);
  }
}
