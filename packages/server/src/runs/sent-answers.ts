import type { CacheStore } from '@longhaul/models';
import { type SendResult, sendResultSchema } from '@longhaul/protocol/api';

interface SentId {
  sessionId: string;
  id: string;
}

/**
 * What was answered to a message that came with an id. That it waits is known from the queue; that it has started a run, and which,
 * is kept here, so that whoever did not hear the answer gets the same one.
 */
export class SentAnswers {
  readonly #kept: CacheStore;
  readonly #underWay = new Map<string, Promise<SendResult>>();

  constructor(kept: CacheStore) {
    this.#kept = kept;
  }

  /** The first answer, or that of `send` where there is none. A message that is sent twice at once is sent once. */
  async once(sent: SentId, send: () => Promise<SendResult>): Promise<SendResult> {
    const key = `sent/${sent.sessionId}/${sent.id}`;
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return await underWay;
    const answer = this.#answer(key, send).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, answer);
    return await answer;
  }

  async #answer(key: string, send: () => Promise<SendResult>): Promise<SendResult> {
    const known = await this.#kept.get(key);
    if (known !== undefined) return sendResultSchema.parse(JSON.parse(known));
    const answer = await send();
    if (!answer.queued) await this.#kept.set(key, JSON.stringify(answer));
    return answer;
  }
}
