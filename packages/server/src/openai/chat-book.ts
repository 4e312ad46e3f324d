import type { CacheHit, CacheStore } from '@longhaul/models';
import { toLonghaulError } from '@longhaul/protocol';
import { z } from 'zod';
import type { ClientMessage } from './chat-request.ts';
import type { HistoryChain } from './history-chain.ts';

/** Where a conversation stands: its last message is the session's message `sequence`. */
export interface ChatPlace {
  sessionId: string;
  sequence: number;
}

export interface FoundPlace extends ChatPlace {
  /** How many messages of the history it stands for. */
  messages: number;
}

const placeSchema = z.object({ sessionId: z.string(), sequence: z.int().min(1) });

/** Longer ones are looked for by their newest answers only. */
const MAX_LOOKED_FOR = 500;

/**
 * Which place of which session a conversation is, by the hash of its messages. The same conversation under a hint (a chat's id, a user) is
 * kept apart; where nothing is known under it, what is known without counts. A cache that fails costs what it knew, and no answer.
 */
export class ChatBook {
  readonly #cache: CacheStore;

  constructor(cache: CacheStore) {
    this.#cache = cache;
  }

  /** The longest beginning of the history that ends with an answer, and is known. */
  async find(
    history: readonly ClientMessage[],
    {
      chain,
      hint,
      isThere,
    }: { chain: HistoryChain; hint: string; isThere: (id: string) => Promise<boolean> },
  ): Promise<FoundPlace | undefined> {
    let candidates = history
      .flatMap(({ role }, index) => (role === 'assistant' ? [index + 1] : []))
      .reverse()
      .slice(0, MAX_LOOKED_FOR)
      .flatMap((messages) => keysOf(chain.at(messages), hint).map((key) => ({ key, messages })));
    while (candidates.length > 0) {
      const hit = await this.#first(candidates.map(({ key }) => key));
      if (hit === undefined) return undefined;
      const at = candidates.findIndex(({ key }) => key === hit.key);
      const { data } = placeSchema.safeParse(JSON.parse(hit.value));
      const messages = candidates[at]?.messages;
      if (data !== undefined && messages !== undefined && (await isThere(data.sessionId))) {
        return { ...data, messages };
      }
      // Its session was deleted: what is known of a shorter beginning may still be there.
      candidates = candidates.slice(at + 1);
    }
    return undefined;
  }

  /** Keeps where the conversation stands. */
  async remember(chain: HistoryChain, hint: string, { sessionId, sequence }: ChatPlace): Promise<void> {
    const value = JSON.stringify({ sessionId, sequence });
    try {
      for (const key of keysOf(chain.last, hint)) await this.#cache.set(key, value);
    } catch (error) {
      warn(error);
    }
  }

  async #first(keys: readonly string[]): Promise<CacheHit | undefined> {
    try {
      return await this.#cache.getFirst(keys);
    } catch (error) {
      warn(error);
      return undefined;
    }
  }
}

function keysOf(hash: string, hint: string): string[] {
  const plain = `agent-chat:${hash}`;
  return hint === '' ? [plain] : [`${plain}:${hint}`, plain];
}

function warn(error: unknown): void {
  process.emitWarning(`The cache of chats fails: ${toLonghaulError(error).message}`);
}
