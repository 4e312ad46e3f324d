import type { CacheStore } from '@longhaul/models';
import { BoundedMemo } from '../conversation/bounded-memo.ts';
import { type KeptCompaction, readStored, storedText } from './kept-compaction.ts';

const MAX_KNOWN = 100_000;
const KEY_PREFIX = 'gateway-compaction:1:';

/** What is known of a place in a conversation: the compaction of the longest beginning up to there, or that there is none. */
type Known = KeptCompaction | 'none';

/** Finds the compaction that was made for a conversation's longest beginning, in memory first and then in the cache. */
export class CompactionKeeper {
  readonly #cache: CacheStore;
  readonly #known = new BoundedMemo<Known>(MAX_KNOWN);

  constructor(cache: CacheStore) {
    this.#cache = cache;
  }

  /** Only places that were never asked for are looked up, so the next turn of a conversation costs what is new in it. */
  async find(chain: readonly string[]): Promise<KeptCompaction | undefined> {
    const unknown: string[] = [];
    let found: Known = 'none';
    for (const hash of chain.toReversed()) {
      const known = this.#known.get(hash);
      if (known !== undefined) {
        found = known;
        break;
      }
      unknown.push(KEY_PREFIX + hash);
    }
    if (unknown.length > 0) {
      const hit = await this.#cache.getFirst(unknown);
      const stored = hit === undefined ? undefined : readStored(hit.value);
      // A beginning that is known is shorter than any of the places just looked up.
      found = stored ?? found;
    }
    const last = chain.at(-1);
    if (last !== undefined) this.#known.set(last, found);
    return found === 'none' ? undefined : found;
  }

  /**
   * Keeps a compaction that stands for the conversation's first `length` messages. It is known in this process at once, also where the cache
   * then refuses it.
   */
  async keep(chain: readonly string[], length: number, kept: KeptCompaction): Promise<void> {
    for (const hash of chain.slice(length - 1)) this.#known.set(hash, kept);
    const hash = chain[length - 1];
    if (hash !== undefined) await this.#cache.set(KEY_PREFIX + hash, storedText(kept));
  }
}
