import type { CacheHit, CacheStore } from '@longhaul/models';
import { toLonghaulError } from '@longhaul/protocol';
import { z } from 'zod';
import type { ClientMessage } from './chat-request.ts';
import type { HistoryChain } from './history-chain.ts';

/** The end of a conversation in a session: its last message is the session's message `sequence`. */
export interface ChatPlace {
  sessionId: string;
  sequence: number;
}

export interface FoundPlace extends ChatPlace {
  /** Number of messages of the history that the session has. */
  messages: number;
}

const placeSchema = z.object({ sessionId: z.string(), sequence: z.int().min(1) });

/** Maximum number of answers to search for, from the newest. */
const MAX_LOOKED_FOR = 500;

/**
 * Maps conversations to places in sessions, by the hash of their messages. A hint (a chat id, a user) separates equal
 * conversations. If nothing is stored under the hint, the entry without a hint is used. If the cache fails, its entries
 * are lost, but requests still succeed.
 */
export class ChatBook {
  readonly #cache: CacheStore;

  constructor(cache: CacheStore) {
    this.#cache = cache;
  }

  /** Finds the longest known prefix of the history that ends with an answer. */
  async find(
    history: readonly ClientMessage[],
    { chain, hint, exists }: { chain: HistoryChain; hint: string; exists: (id: string) => Promise<boolean> },
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
      if (data !== undefined && messages !== undefined && (await exists(data.sessionId))) {
        return { ...data, messages };
      }
      // The session was deleted. The session of a shorter prefix may still exist.
      candidates = candidates.slice(at + 1);
    }
    return undefined;
  }

  /** Stores the place of a conversation. A failure of the cache is only a warning. */
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
  process.emitWarning(`The chat cache failed: ${toLonghaulError(error).message}`);
}
