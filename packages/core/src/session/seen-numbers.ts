/** Which numbers above a first one have been seen: all up to one, and some ahead of it. */
export class SeenNumbers {
  readonly #start: number;
  #upTo: number;
  readonly #ahead = new Set<number>();

  constructor(start: number) {
    this.#start = start;
    this.#upTo = start;
  }

  /** All numbers up to this one have been seen. */
  get upTo(): number {
    return this.#upTo;
  }

  /** False for a number that was seen before. What came before the start, and is late, is not known: it passes. */
  add(number: number): boolean {
    if (number <= this.#start) return true;
    if (number <= this.#upTo || this.#ahead.has(number)) return false;
    this.#ahead.add(number);
    while (this.#ahead.delete(this.#upTo + 1)) this.#upTo += 1;
    return true;
  }
}
