import { SeenKeys } from './seen-keys.ts';

/** Keeps at least the newest `limit` keys. Memory is bounded for a file of any length. */
export class RecentKeys {
  readonly #limit: number;
  #young = new SeenKeys();
  #old = new SeenKeys();

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  add(key: string): void {
    this.#young.add(key);
    if (this.#young.size < this.#limit) return;
    this.#old = this.#young;
    this.#young = new SeenKeys();
  }
}
