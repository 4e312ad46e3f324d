/**
 * A map with at most `maxEntries` entries. It has two generations. When the younger one is full, the older one is
 * dropped as a whole. A read moves an entry to the younger one, so entries in use stay.
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
