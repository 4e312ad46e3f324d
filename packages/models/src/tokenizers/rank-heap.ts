/** A binary min-heap of numbers in an array of fixed size. */
export class RankHeap {
  readonly #entries: Uint32Array;
  #size = 0;

  constructor(capacity: number) {
    this.#entries = new Uint32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  clear(): void {
    this.#size = 0;
  }

  /** Adds an entry without ordering. Call `arrange` before any other method. */
  append(entry: number): void {
    this.#entries[this.#size] = entry;
    this.#size += 1;
  }

  /** Orders all entries in linear time. */
  arrange(): void {
    for (let index = (this.#size >> 1) - 1; index >= 0; index -= 1)
      this.#sink(index, this.#entries[index] ?? 0);
  }

  push(entry: number): void {
    const entries = this.#entries;
    let index = this.#size;
    this.#size += 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = entries[parent] ?? 0;
      if (above <= entry) break;
      entries[index] = above;
      index = parent;
    }
    entries[index] = entry;
  }

  /** Removes and returns the smallest entry. The heap must not be empty. */
  pop(): number {
    const top = this.#entries[0] ?? 0;
    this.#size -= 1;
    this.#sink(0, this.#entries[this.#size] ?? 0);
    return top;
  }

  /** Places an entry at `start`, or as far below as necessary. */
  #sink(start: number, entry: number): void {
    const entries = this.#entries;
    const size = this.#size;
    let index = start;
    for (let child = 2 * index + 1; child < size; child = 2 * index + 1) {
      let below = entries[child] ?? 0;
      const other = child + 1 < size ? (entries[child + 1] ?? 0) : below;
      if (other < below) {
        below = other;
        child += 1;
      }
      if (below >= entry) break;
      entries[index] = below;
      index = child;
    }
    entries[index] = entry;
  }
}
