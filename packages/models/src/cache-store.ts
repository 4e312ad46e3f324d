/**
 * A port that keeps texts between runs and processes. The texts can be computed again at a cost. The cache is bounded:
 * the least recently used entry is removed first. A cache that forgets or fails costs time, never a result, so its
 * users continue without it.
 */
export interface CacheStore {
  get(key: string): Promise<string | undefined>;
  /** Returns the first of these keys that has an entry, with its value. A hit counts as a use of the entry. */
  getFirst(keys: readonly string[]): Promise<CacheHit | undefined>;
  /** Stores a value, or replaces the value of the key. A value larger than the whole cache is not stored. */
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

export interface CacheHit {
  readonly key: string;
  readonly value: string;
}

/** The bounds of a cache. The size of an entry is that of its key and value in UTF-8. */
export interface CacheLimits {
  /** Default 256 MiB. */
  maxBytes?: number;
  /** Default 200,000. */
  maxEntries?: number;
}
