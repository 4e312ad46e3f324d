import type { CacheHit, CacheStore } from '@longhaul/models';
import { BoundedMemo } from '../conversation/bounded-memo.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { ConversationLog } from '../engine/conversation-log.ts';
import { movedTo, tailKey, tailKeys } from './coverage.ts';
import { type KeptCompaction, readStored, storedText } from './kept-compaction.ts';

const MAX_KNOWN = 50_000;
const KEY_PREFIX = 'gateway-compaction:1:';
/** Leads from the last messages that a compaction covers to its place. */
const TAIL_PREFIX = 'gateway-tail:1:';
const NONE = '';

export interface FindOptions {
  isDue: boolean;
  isUsable: (kept: KeptCompaction) => boolean;
}

/** Finds the compaction that was made for a conversation's longest beginning, in memory first and then in the cache. */
export class CompactionKeeper {
  readonly #cache: CacheStore;
  /** By a place in a conversation: the compaction of its longest beginning up to there, as it is stored, or that there is none. */
  readonly #known = new BoundedMemo<string>(MAX_KNOWN);

  constructor(cache: CacheStore) {
    this.#cache = cache;
  }

  /**
   * Only places that were never asked for are looked up, so the next turn of a conversation costs what is new in it.
   *
   * @param options.isDue Without one a new compaction will be made: then all places are looked up, since another process may have made it.
   * @param options.isUsable Whether it leaves what is asked now.
   */
  async find(
    chain: readonly string[],
    { isDue, isUsable }: FindOptions,
  ): Promise<KeptCompaction | undefined> {
    const places = chain.toReversed();
    const found = await this.#newest(places, isDue);
    return found === undefined || isUsable(found) ? found : this.#earlier(places, isUsable);
  }

  async #newest(places: readonly string[], isDue: boolean): Promise<KeptCompaction | undefined> {
    const firstKnown = places.findIndex((hash) => this.#known.get(hash) !== undefined);
    const known = (firstKnown === -1 ? undefined : this.#known.get(places[firstKnown] ?? '')) ?? NONE;
    const unknown = firstKnown === -1 || (isDue && known === NONE) ? places : places.slice(0, firstKnown);
    // A beginning that is known is shorter than any of the places looked up.
    const text = (await this.#lookUp(unknown))?.value ?? known;
    const last = places[0];
    if (last !== undefined) this.#known.set(last, text);
    return text === NONE ? undefined : readStored(text);
  }

  /** The newest was made further on in the conversation, and it goes on from an earlier place again. */
  async #earlier(
    places: readonly string[],
    isUsable: FindOptions['isUsable'],
  ): Promise<KeptCompaction | undefined> {
    for (let left = places.slice(1); ; ) {
      const hit = await this.#lookUp(left);
      const kept = hit === undefined ? undefined : readStored(hit.value);
      if (hit === undefined || (kept !== undefined && isUsable(kept))) return kept;
      left = left.slice(left.indexOf(hit.key.slice(KEY_PREFIX.length)) + 1);
    }
  }

  async #lookUp(places: readonly string[]): Promise<CacheHit | undefined> {
    return places.length === 0 ? undefined : this.#cache.getFirst(places.map((hash) => KEY_PREFIX + hash));
  }

  /**
   * For a client that drops the oldest messages itself, so that each of its requests begins at another place: the compaction whose last messages
   * this conversation begins with.
   *
   * @param owner Whoever asks. A beginning that was dropped is told to nobody else.
   */
  async findOverlapping(conversation: Conversation, owner: string): Promise<KeptCompaction | undefined> {
    const tails = tailKeys(conversation, owner);
    if (tails.length === 0) return undefined;
    const hit = await this.#cache.getFirst(tails.map(({ key }) => TAIL_PREFIX + key));
    const covered = tails.find(({ key }) => TAIL_PREFIX + key === hit?.key)?.covered;
    const text = hit === undefined ? undefined : await this.#cache.get(KEY_PREFIX + hit.value);
    const kept = text === undefined ? undefined : readStored(text);
    if (kept === undefined || covered === undefined) return undefined;
    return movedTo(conversation, { kept, covered, log: ConversationLog.of(conversation) });
  }

  /**
   * Keeps a compaction that stands for the conversation's first `length` messages. It is known in this process at once, also where the cache
   * then refuses it.
   */
  async keep(
    chain: readonly string[],
    { length, kept, owner }: { length: number; kept: KeptCompaction; owner: string },
  ): Promise<void> {
    const text = storedText(kept);
    for (const hash of chain.slice(length - 1)) this.#known.set(hash, text);
    const hash = chain[length - 1];
    if (hash === undefined) return;
    await this.#cache.set(KEY_PREFIX + hash, text);
    if (kept.coverage !== undefined) await this.#cache.set(TAIL_PREFIX + tailKey(kept.coverage, owner), hash);
  }
}
