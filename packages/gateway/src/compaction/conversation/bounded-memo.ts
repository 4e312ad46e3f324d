/**
 * Remembers values in bounded memory: two generations, of which the older one goes as a whole when the younger is full. What is asked for
 * moves to the younger, so what is in use stays.
 */
export class BoundedMemo<V> {
  readonly #maxEntries: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    if (this.#young.size >= this.#maxEntries / 2) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
