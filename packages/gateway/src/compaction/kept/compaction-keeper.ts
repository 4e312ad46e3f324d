import type { CacheHit, CacheStore } from '@longhaul/models';
import { BoundedMemo } from '../conversation/bounded-memo.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { ConversationLog } from '../engine/conversation-log.ts';
import { movedTo, tailKey, tailKeys } from './coverage.ts';
import { type KeptCompaction, readStored, storedText } from './kept-compaction.ts';

const MAX_KNOWN = 50_000;
const KEY_PREFIX = 'gateway-compaction:1:';
/** Keys that lead from the last messages that a compaction covers to the place of the compaction. */
const TAIL_PREFIX = 'gateway-tail:1:';
const NONE = '';

export interface FindOptions {
  isDue: boolean;
  isUsable: (kept: KeptCompaction) => boolean;
}

/** Finds the stored compaction of a conversation's longest beginning, first in memory and then in the cache. */
export class CompactionKeeper {
  readonly #cache: CacheStore;
  /** For a place in a conversation, the stored text of the compaction of the longest beginning up to it, or `NONE`. */
  readonly #known = new BoundedMemo<string>(MAX_KNOWN);

  constructor(cache: CacheStore) {
    this.#cache = cache;
  }

  /**
   * Returns the newest usable compaction of the conversation. Looks up only places that are unknown in memory, so the
   * next turn of a conversation looks up only its new messages.
   *
   * @param ascending The places of the conversation (`placesOf`).
   * @param options.isDue The request needs a compaction. If memory knows of none, all places are looked up, since
   * another process may have stored one.
   * @param options.isUsable Whether a compaction leaves the current question visible.
   */
  async find(
    ascending: readonly string[],
    { isDue, isUsable }: FindOptions,
  ): Promise<KeptCompaction | undefined> {
    const places = ascending.toReversed();
    const found = await this.#newest(places, isDue);
    return found === undefined || isUsable(found) ? found : this.#earlier(places, isUsable);
  }

  async #newest(places: readonly string[], isDue: boolean): Promise<KeptCompaction | undefined> {
    const firstKnown = places.findIndex((hash) => this.#known.get(hash) !== undefined);
    const known = (firstKnown === -1 ? undefined : this.#known.get(places[firstKnown] ?? '')) ?? NONE;
    const unknown = firstKnown === -1 || (isDue && known === NONE) ? places : places.slice(0, firstKnown);
    // A compaction found in the cache covers more than a known one: all places looked up come later.
    const text = (await this.#lookUp(unknown))?.value ?? known;
    const last = places[0];
    if (last !== undefined) this.#known.set(last, text);
    return text === NONE ? undefined : readStored(text);
  }

  /** Finds an older compaction, if the client has gone back to an earlier place of the conversation. */
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
   * Finds a compaction for a client that drops the oldest messages itself, or changes the first ones, so that each
   * request begins in another way. The last messages that the compaction covers must be in the conversation.
   *
   * @param owner Only compactions of the same owner are found, since the summary contains messages that the request
   * does not.
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
   * Stores a compaction of the conversation's first `length` messages. Rejects if the cache fails. Even then this
   * process knows the compaction.
   */
  async keep(
    places: readonly string[],
    { length, kept, owner }: { length: number; kept: KeptCompaction; owner: string },
  ): Promise<void> {
    const text = storedText(kept);
    for (const hash of places.slice(length - 1)) this.#known.set(hash, text);
    const hash = places[length - 1];
    if (hash === undefined) return;
    await this.#cache.set(KEY_PREFIX + hash, text);
    if (kept.coverage !== undefined) await this.#cache.set(TAIL_PREFIX + tailKey(kept.coverage, owner), hash);
  }
}
