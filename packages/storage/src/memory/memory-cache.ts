import type { CacheHit, CacheLimits, CacheStore } from '@longhaul/models';
import { cacheBytes, cacheLimits } from '../shared/cache-limits.ts';

/** Creates a cache in memory that is lost when the process ends. */
export function createMemoryCache(limits: CacheLimits = {}): CacheStore {
  return new MemoryCache(cacheLimits(limits));
}

class MemoryCache implements CacheStore {
  readonly #limits: Required<CacheLimits>;
  /** Least recently used first: a map keeps insertion order. */
  readonly #values = new Map<string, string>();
  #bytes = 0;

  constructor(limits: Required<CacheLimits>) {
    this.#limits = limits;
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.getFirst([key]))?.value;
  }

  async getFirst(keys: readonly string[]): Promise<CacheHit | undefined> {
    for (const key of keys) {
      const value = this.#values.get(key);
      if (value === undefined) continue;
      this.#values.delete(key);
      this.#values.set(key, value);
      return { key, value };
    }
    return undefined;
  }

  async set(key: string, value: string): Promise<void> {
    await this.delete(key);
    const bytes = cacheBytes(key, value);
    if (bytes > this.#limits.maxBytes) return;
    this.#values.set(key, value);
    this.#bytes += bytes;
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#limits.maxBytes && this.#values.size <= this.#limits.maxEntries) break;
      await this.delete(oldest);
    }
  }

  async delete(key: string): Promise<void> {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#bytes -= cacheBytes(key, value);
  }
}
