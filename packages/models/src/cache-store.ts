/**
 * A port: keeps texts that can be made again at a cost, over runs and processes. Bounded: what was used least recently goes first. A cache
 * that forgets or fails costs time, never an answer, so whoever asks goes on without it.
 */
export interface CacheStore {
  get(key: string): Promise<string | undefined>;
  /** The first of these keys that is kept, with its value. Both reads count as a use. */
  getFirst(keys: readonly string[]): Promise<CacheHit | undefined>;
  /** Replaces what stood under the key. A value larger than the whole cache is not kept. */
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

export interface CacheHit {
  readonly key: string;
  readonly value: string;
}

/** Bounds of a cache. A value counts with its key, in UTF-8. */
export interface CacheLimits {
  /** Default 256 MiB. */
  maxBytes?: number;
  /** Default 200,000. */
  maxEntries?: number;
}
