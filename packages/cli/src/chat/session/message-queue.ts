import type { LonghaulClient } from '@longhaul/client';
import {
  type MessageOrigin,
  originOf,
  toLonghaulError,
  type UserMessageContentPart,
} from '@longhaul/protocol';

type Content = readonly UserMessageContentPart[];

/** A message that waits for the next step. */
export interface WaitingMessage {
  id: string;
  content: Content;
  /** Absent if a user wrote it. */
  origin?: MessageOrigin | undefined;
}

export interface DeliveredMessage {
  content: Content;
  /** It was sent by this chat. */
  isOwn: boolean;
  /** Absent if a user wrote it. */
  origin?: MessageOrigin | undefined;
}

/** Messages of one session that the agent has not received. */
export class MessageQueue {
  readonly #calls: LonghaulClient['queue'];
  readonly #sessionId: string;
  /** Messages that this chat has sent, until they are delivered. */
  readonly #sent = new Map<string, Content>();
  /** Messages that the server keeps for the next step. */
  waiting: readonly WaitingMessage[] = [];

  constructor({ queue }: Pick<LonghaulClient, 'queue'>, sessionId: string) {
    this.#calls = queue;
    this.#sessionId = sessionId;
  }

  /** Messages that the agent has not received yet, those that are being sent last. */
  get undelivered(): readonly WaitingMessage[] {
    const queued = new Set(this.waiting.map(({ id }) => id));
    const sending = [...this.#sent].flatMap(([id, content]) => (queued.has(id) ? [] : [{ id, content }]));
    return [...this.waiting, ...sending];
  }

  /** Undelivered messages that users wrote: only they can become the text of the composer again. */
  get written(): readonly WaitingMessage[] {
    return this.undelivered.filter(({ origin }) => origin === undefined);
  }

  /** A message of this chat is on its way. */
  addSent(id: string, content: Content): void {
    this.#sent.set(id, content);
  }

  /** The server did not take it. */
  dropSent(id: string): void {
    this.#sent.delete(id);
  }

  async read(signal: AbortSignal): Promise<void> {
    const { messages } = await this.#calls.list(this.#sessionId, { signal });
    this.waiting = messages.map((message) => {
      return { id: message.id, content: message.content, origin: originOf(message) };
    });
  }

  /** Returns false if the message was delivered before. */
  async remove(messageId: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#calls.remove(this.#sessionId, messageId, { signal });
    } catch (error) {
      if (toLonghaulError(error).code === 'not_found') return false;
      throw error;
    }
    this.#sent.delete(messageId);
    await this.read(signal);
    return true;
  }

  /** Removes all waiting messages that users wrote, and returns them, the oldest first. */
  async removeAll(signal: AbortSignal): Promise<readonly WaitingMessage[]> {
    await this.read(signal);
    const removed: WaitingMessage[] = [];
    for (const message of this.waiting.filter(({ origin }) => origin === undefined))
      if (await this.remove(message.id, signal)) removed.push(message);
    return removed;
  }

  /** Returns those messages that are known, after the agent has received them. */
  deliver(ids: readonly string[]): DeliveredMessage[] {
    const known = new Map(this.undelivered.map((message) => [message.id, message]));
    const delivered = ids.flatMap((id) => {
      const message = known.get(id);
      const isOwn = this.#sent.delete(id);
      return message === undefined ? [] : [{ content: message.content, isOwn, origin: message.origin }];
    });
    this.waiting = this.waiting.filter(({ id }) => !ids.includes(id));
    return delivered;
  }
}
