import { randomUUID } from 'node:crypto';
import type { LonghaulClient } from '@longhaul/client';
import { type LonghaulEvent, toLonghaulError, type UserMessageContentPart } from '@longhaul/protocol';
import type { AnswerApprovalBody, ContextInfo } from '@longhaul/protocol/api';
import type { DeliveredMessage, WaitingMessage } from './message-queue.ts';
import { type OpenApproval, type SessionFacts, SessionState } from './session-state.ts';

export interface SessionListener {
  /**
   * A message of a person was delivered to the agent.
   *
   * @param isOwn It was sent by this chat.
   */
  onMessage(message: DeliveredMessage): void;
  onEvent(event: LonghaulEvent): void;
  /** The queue, the approvals or the activity has changed. */
  onChange(): void;
  /** Says something that no event says. */
  onRemark(text: string): void;
}

/** One session and its events, from the moment at which the chat opens it until it leaves. */
export class FollowedSession {
  readonly state: SessionState;
  /** Settles when the messages that are on their way have arrived. */
  #sent: Promise<unknown> = Promise.resolve();
  /** Number of those messages. */
  #sending = 0;
  readonly #client: LonghaulClient;
  readonly #listener: SessionListener;
  readonly #left = new AbortController();
  #reading: Promise<void> | undefined;
  #isLost = false;

  constructor(
    facts: SessionFacts,
    { client, listener }: { client: LonghaulClient; listener: SessionListener },
  ) {
    this.state = new SessionState(facts, client);
    this.#client = client;
    this.#listener = listener;
  }

  /** Reads the events after the one with this number. */
  follow(after: number): void {
    this.#reading = this.#read(after).catch((error: unknown) => {
      if (!this.#left.signal.aborted)
        this.#listener.onRemark(`The events cannot be read: ${toLonghaulError(error).message}`);
    });
  }

  /** Resolves when no more events will be reported. */
  async leave(): Promise<void> {
    this.#left.abort();
    await this.#reading;
  }

  /** Reads what was there before the followed events. */
  async readState(): Promise<void> {
    await this.state.read(this.#left.signal);
  }

  /** Sends a message: starts a run, or queues the message for the next step of the run. */
  async send(content: readonly UserMessageContentPart[]): Promise<void> {
    const { state } = this;
    const { id, queue, isBusy } = state;
    const messageId = randomUUID();
    queue.addSent(messageId, content);
    state.isBusy = true;
    this.#listener.onChange();
    const sending = this.#client.sendMessage(id, [...content], { idempotencyKey: messageId });
    this.#sent = Promise.allSettled([this.#sent, sending]);
    this.#sending += 1;
    try {
      await sending;
    } catch (error) {
      queue.dropSent(messageId);
      state.isBusy = isBusy;
      await this.#readNowOrLater();
      throw error;
    } finally {
      this.#sending -= 1;
    }
  }

  /** Stops the run. Messages that wait are removed from the queue and returned, the oldest first. */
  async stop(): Promise<readonly WaitingMessage[]> {
    // A message may wait for a model that is being loaded.
    if (this.#sending > 0) await this.#client.cancel(this.state.id);
    await this.#sent;
    const removed = await this.state.queue.removeAll(this.#left.signal);
    await this.#client.cancel(this.state.id);
    return removed;
  }

  /** Stops the step and delivers what waits at once. */
  async steer(): Promise<void> {
    await this.#client.cancel(this.state.id);
    await this.#client.resume(this.state.id);
  }

  /** Starts a run that delivers what waits. */
  async deliver(): Promise<void> {
    await this.#client.resume(this.state.id);
  }

  /** Returns false if the message was delivered before. */
  async unqueue(messageId: string): Promise<boolean> {
    await this.#sent;
    return await this.state.queue.remove(messageId, this.#left.signal);
  }

  async answer(request: OpenApproval, answer: AnswerApprovalBody): Promise<void> {
    try {
      await this.#client.approvals.answer(this.state.id, request, answer);
    } catch (error) {
      if (toLonghaulError(error).code !== 'not_found') throw error;
      this.#listener.onRemark('Too late: somebody else has answered.');
    }
  }

  async context(): Promise<ContextInfo> {
    return await this.#client.context(this.state.id, {}, { signal: this.#left.signal });
  }

  async #read(after: number): Promise<void> {
    const { signal } = this.#left;
    const onReconnect = () => void this.#recover();
    for await (const event of this.#client.events(this.state.id, { after, signal, onReconnect })) {
      await this.#take(event);
      if (signal.aborted) return;
    }
  }

  async #take(event: LonghaulEvent): Promise<void> {
    const { state } = this;
    if (event.type === 'message:dequeued')
      for (const message of state.queue.deliver(event.ids)) this.#listener.onMessage(message);
    // The answer of a run whose process has ended is still open, and its text is sent again. It is on the screen
    // already.
    if (event.type === 'llm:chunk' && !state.isBusy) return;
    if (state.apply(event)) await this.#readNowOrLater();
    this.#listener.onEvent(event);
    this.#listener.onChange();
  }

  /** An event does not fail because the server cannot be reached: the state is read as soon as it can. */
  async #readNowOrLater(): Promise<void> {
    try {
      await this.readState();
    } catch {
      void this.#recover();
    }
  }

  /** Reads the state again as soon as the server answers: a run may have ended without an event. */
  async #recover(): Promise<void> {
    const { signal } = this.#left;
    if (this.#isLost || signal.aborted) return;
    this.#isLost = true;
    this.#listener.onRemark('The connection was lost. Reconnecting; nothing is lost.');
    try {
      while (!(await this.#isReadable()));
      this.#listener.onRemark('Connected again.');
    } catch (error) {
      if (!signal.aborted) this.#listener.onRemark(toLonghaulError(error).message);
    }
    this.#isLost = false;
    this.#listener.onChange();
  }

  /** The client waits between its attempts. @throws {LonghaulError} if no later attempt can succeed. */
  async #isReadable(): Promise<boolean> {
    try {
      await this.readState();
      return true;
    } catch (error) {
      if (!toLonghaulError(error).retryable) throw error;
      return false;
    }
  }
}
