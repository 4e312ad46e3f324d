import { randomUUID } from 'node:crypto';
import type { LonghaulClient } from '@longhaul/client';
import {
  type Approval,
  type ApprovalAnswer,
  type LonghaulEvent,
  toLonghaulError,
  type UserMessageContentPart,
} from '@longhaul/protocol';
import type { ContextInfo, ResponseOf } from '@longhaul/protocol/api';
import { MessageQueue, type WaitingMessage } from './message-queue.ts';

export interface SessionListener {
  /**
   * A message of a person was delivered to the agent.
   *
   * @param isOwn It was sent by this chat.
   */
  onMessage(content: readonly UserMessageContentPart[], isOwn: boolean): void;
  onEvent(event: LonghaulEvent): void;
  /** The queue, the approvals or the activity has changed. */
  onChange(): void;
  /** Says something that no event says. */
  onRemark(text: string): void;
}

export type OpenApproval = Pick<Approval, 'callId' | 'handle' | 'toolName' | 'args'>;

/** One session and its events, from the moment at which the chat opens it until it leaves. */
export class FollowedSession {
  readonly id: string;
  readonly workspace: string;
  readonly queue: MessageQueue;
  readonly #client: LonghaulClient;
  readonly #listener: SessionListener;
  readonly #left = new AbortController();
  #reading: Promise<void> | undefined;
  title: string;
  model: string | undefined;
  isBusy: boolean;
  approvals: readonly OpenApproval[] = [];

  constructor(
    { id, workspace, title, model, state }: ResponseOf<'createSession'>,
    { client, listener }: { client: LonghaulClient; listener: SessionListener },
  ) {
    this.id = id;
    this.workspace = workspace;
    this.title = title;
    this.model = model;
    this.isBusy = state === 'running';
    this.queue = new MessageQueue(client, id);
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

  /** Reads what was there before the followed events: the queue and the open approvals. */
  async readState(): Promise<void> {
    const { signal } = this.#left;
    await Promise.all([this.queue.read(signal), this.#readApprovals()]);
  }

  /** Sends a message: starts a run, or queues the message for the next step of the run. */
  async send(content: readonly UserMessageContentPart[]): Promise<void> {
    const id = randomUUID();
    this.queue.addSent(id, content);
    this.isBusy = true;
    this.#listener.onChange();
    try {
      await this.#client.sendMessage(this.id, [...content], { idempotencyKey: id });
    } catch (error) {
      this.queue.dropSent(id);
      await this.#readActivity();
      throw error;
    }
  }

  /** Stops the run. Messages that wait are removed from the queue and returned, the oldest first. */
  async stop(): Promise<readonly WaitingMessage[]> {
    const removed = await this.queue.removeAll(this.#left.signal);
    await this.#client.cancel(this.id);
    return removed;
  }

  /** Stops the step and delivers what waits at once. */
  async steer(): Promise<void> {
    await this.#client.cancel(this.id);
    await this.#client.resume(this.id);
  }

  /** Returns false if the message was delivered before. */
  async unqueue(messageId: string): Promise<boolean> {
    return await this.queue.remove(messageId, this.#left.signal);
  }

  async answer(request: OpenApproval, answer: { answer: ApprovalAnswer; reason?: string }): Promise<void> {
    try {
      await this.#client.approvals.answer(this.id, request, answer);
    } catch (error) {
      if (toLonghaulError(error).code !== 'not_found') throw error;
      this.#listener.onRemark('Too late: somebody else has answered.');
    }
  }

  async context(): Promise<ContextInfo> {
    return await this.#client.context(this.id, {}, { signal: this.#left.signal });
  }

  async #read(after: number): Promise<void> {
    const { signal } = this.#left;
    const onReconnect = () =>
      this.#listener.onRemark('The connection was lost. Reconnecting; nothing is lost.');
    for await (const event of this.#client.events(this.id, { after, signal, onReconnect })) {
      await this.#take(event);
      if (signal.aborted) return;
    }
  }

  async #take(event: LonghaulEvent): Promise<void> {
    const { signal } = this.#left;
    switch (event.type) {
      case 'run:started':
        this.isBusy = true;
        break;
      case 'message:queued':
        await this.queue.read(signal);
        break;
      case 'message:dequeued':
        for (const { content, isOwn } of await this.queue.deliver(event.ids, signal))
          this.#listener.onMessage(content, isOwn);
        break;
      case 'approval:requested':
        this.approvals = [...this.approvals, event];
        break;
      case 'approval:answered':
        this.approvals = this.approvals.filter(({ handle }) => handle !== event.handle);
        break;
      case 'run:finished':
        await this.#readActivity();
        break;
    }
    this.#listener.onEvent(event);
    this.#listener.onChange();
  }

  async #readApprovals(): Promise<void> {
    const { signal } = this.#left;
    const { approvals } = await this.#client.approvals.list(this.id, { open: true, signal });
    this.approvals = this.isBusy ? approvals : [];
  }

  /** A run that follows at once has begun before this is read. */
  async #readActivity(): Promise<void> {
    const { state } = await this.#client.sessions.get(this.id, { signal: this.#left.signal });
    this.isBusy = state === 'running';
    if (!this.isBusy) this.approvals = [];
  }
}
