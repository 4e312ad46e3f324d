import type { CacheStore } from '@longhaul/models';
import { type SendResult, sendResultSchema } from '@longhaul/protocol/api';
import type { KnownFields } from '../http/route-handler.ts';

export type SentAnswer = KnownFields<SendResult>;

interface SentId {
  sessionId: string;
  id: string;
}

/**
 * Stores the responses to messages with an id, so that a client that missed a response gets the same one again. Only
 * responses with a run id are stored. The queue itself knows the messages that still wait.
 */
export class SentAnswers {
  readonly #kept: CacheStore;
  readonly #underWay = new Map<string, Promise<SentAnswer>>();

  constructor(kept: CacheStore) {
    this.#kept = kept;
  }

  /**
   * Returns the stored response, or else calls `send`. Simultaneous calls with the same id share one call of `send`.
   */
  async once(sent: SentId, send: () => Promise<SentAnswer>): Promise<SentAnswer> {
    const key = `sent/${sent.sessionId}/${sent.id}`;
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return await underWay;
    const answer = this.#answer(key, send).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, answer);
    return await answer;
  }

  async #answer(key: string, send: () => Promise<SentAnswer>): Promise<SentAnswer> {
    const known = await this.#kept.get(key);
    if (known !== undefined) return sendResultSchema.parse(JSON.parse(known));
    const answer = await send();
    if (!answer.queued) await this.#kept.set(key, JSON.stringify(answer));
    return answer;
  }
}
