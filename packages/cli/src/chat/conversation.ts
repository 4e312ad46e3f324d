import { LonghaulError, type LonghaulEvent, type UserMessageContentPart } from '@longhaul/protocol';
import type { ContextInfo } from '@longhaul/protocol/api';
import type { Connection } from './connection/connection.ts';
import { FollowedSession, type SessionListener } from './session/followed-session.ts';
import { textOf } from './session/message-content.ts';
import type { WaitingMessage } from './session/message-queue.ts';
import type { BackgroundCommand, OpenApproval, SessionFacts } from './session/session-state.ts';

export interface ConversationOptions {
  connection: Connection;
  listener: SessionListener;
  /** The model of a new session. */
  model: () => string | undefined;
  agent: string | undefined;
}

type RecentEvent = Pick<LonghaulEvent, 'type' | 'at' | 'number'>;

const MAX_RECENT = 200;
const MAX_TASK_CHARS = 2_000;

/** What a person talks to: the session that is open, or the one that their first message will create. */
export class Conversation {
  readonly #options: ConversationOptions;
  #session: FollowedSession | undefined;
  #creating: Promise<FollowedSession> | undefined;
  /** The types and times of the last events, without their content. */
  recentEvents: readonly RecentEvent[] = [];
  agent: string | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.agent = options.agent;
  }

  /** Undefined until the first message. */
  get id(): string | undefined {
    return this.#session?.state.id;
  }

  /** Empty until the first message. */
  get workspace(): string {
    return this.#session?.state.workspace ?? '';
  }

  get title(): string {
    return this.#session?.state.title ?? '';
  }

  set title(title: string) {
    if (this.#session !== undefined) this.#session.state.title = title;
  }

  /** What was done in the session. */
  get summary(): string | undefined {
    return this.#session?.state.summary;
  }

  get model(): string | undefined {
    return this.#session?.state.model;
  }

  set model(model: string | undefined) {
    if (this.#session !== undefined) this.#session.state.model = model;
  }

  get isBusy(): boolean {
    return this.#session?.state.isBusy ?? false;
  }

  /** The place of the session's run among those that wait. Undefined: it does not wait. */
  get position(): number | undefined {
    return this.#session?.state.position;
  }

  /** The session had an unfinished run when it was opened. */
  get wasInterrupted(): boolean {
    return this.#session?.state.wasInterrupted ?? false;
  }

  get approvals(): readonly OpenApproval[] {
    return this.#session?.state.approvals ?? [];
  }

  /** Commands that run in the background. */
  get background(): readonly BackgroundCommand[] {
    return this.#session?.state.background ?? [];
  }

  /** Undelivered messages that users wrote. */
  get written(): readonly WaitingMessage[] {
    return this.#session?.state.queue.written ?? [];
  }

  /** Messages that the agent has not received yet, those that are being sent last. */
  get undelivered(): readonly WaitingMessage[] {
    return this.#session?.state.queue.undelivered ?? [];
  }

  /** @throws {LonghaulError} `usage` before the first message. */
  requireId(): string {
    return this.#required().state.id;
  }

  /**
   * Opens an earlier session and follows it. If that fails, the present one stays open.
   *
   * @param after The number of the event after which it is followed. Default: the last one.
   */
  async open(sessionId: string, after?: number): Promise<void> {
    const facts = await this.#options.connection.client.sessions.get(sessionId);
    const session = this.#following(facts);
    await session.readState();
    await this.leave();
    const agent = facts.metadata?.['agent'];
    this.agent = typeof agent === 'string' ? agent : undefined;
    this.#session = session;
    session.follow(after ?? facts.lastEvent);
  }

  /** Begins a new conversation. The session itself is created by its first message. */
  async reset(): Promise<void> {
    await this.leave();
    this.#session = undefined;
  }

  async leave(): Promise<void> {
    await this.#session?.leave();
  }

  /** Sends a message: starts a run, or queues the message for the next step of the run. */
  async send(content: readonly UserMessageContentPart[]): Promise<void> {
    const session = this.#session ?? (await this.#created(textOf(content)));
    await session.send(content);
  }

  /** Stops the run. Messages that wait are removed from the queue and returned, the oldest first. */
  async stop(): Promise<readonly WaitingMessage[]> {
    return await this.#required().stop();
  }

  /** Stops the step and delivers what waits at once. */
  async steer(): Promise<void> {
    await this.#required().steer();
  }

  /** Delivers what waits since an earlier run. */
  async deliver(): Promise<void> {
    await this.#required().deliver();
  }

  /** Returns false if the message was delivered before. */
  async unqueue(messageId: string): Promise<boolean> {
    return await this.#required().unqueue(messageId);
  }

  async answer(...answer: Parameters<FollowedSession['answer']>): Promise<void> {
    await this.#required().answer(...answer);
  }

  async context(): Promise<ContextInfo | undefined> {
    return await this.#session?.context();
  }

  #required(): FollowedSession {
    if (this.#session !== undefined) return this.#session;
    throw new LonghaulError('usage', 'This conversation has no messages yet. Send the first one.');
  }

  async #created(task: string): Promise<FollowedSession> {
    this.#creating ??= this.#create(task);
    try {
      return await this.#creating;
    } finally {
      this.#creating = undefined;
    }
  }

  async #create(task: string): Promise<FollowedSession> {
    const { client, local } = this.#options.connection;
    const { agent } = this;
    const model = this.#options.model();
    const facts = await client.sessions.create({
      task: task.slice(0, MAX_TASK_CHARS),
      ...(model !== undefined && { model }),
      ...(agent !== undefined && { agent }),
    });
    await local?.keepAddress(facts.id);
    const session = this.#following(facts);
    this.#session = session;
    session.follow(0);
    return session;
  }

  #following(facts: SessionFacts): FollowedSession {
    const { connection, listener } = this.#options;
    const onEvent = (event: LonghaulEvent) => {
      const { type, at, number } = event;
      this.recentEvents = [...this.recentEvents.slice(1 - MAX_RECENT), { type, at, number }];
      listener.onEvent(event);
    };
    return new FollowedSession(facts, { client: connection.client, listener: { ...listener, onEvent } });
  }
}
