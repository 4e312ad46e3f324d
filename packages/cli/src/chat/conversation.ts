import { randomUUID } from 'node:crypto';
import type { Approval, LonghaulEvent, UserMessageContentPart } from '@longhaul/protocol';
import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import type { ContextInfo } from '@longhaul/protocol/api';
import type { Connection } from './connection/connection.ts';

/** A message that waits for the next step. */
export interface WaitingMessage {
  id: string;
  content: readonly UserMessageContentPart[];
}

export interface ConversationListener {
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

export interface ConversationOptions {
  connection: Connection;
  listener: ConversationListener;
  /** The model of a new session. */
  model: () => string | undefined;
  agent: string | undefined;
}

type OpenApproval = Pick<Approval, 'callId' | 'handle' | 'toolName' | 'args'>;

/** One session as a person sees it: its messages, its queue, and its open approvals. */
export class Conversation {
  readonly #options: ConversationOptions;
  #sessionId: string | undefined;
  #creating: Promise<string> | undefined;
  #reading: { ends: AbortController; done: Promise<void> } | undefined;
  /** Messages that this chat has sent, until they are delivered. */
  readonly #sent = new Map<string, readonly UserMessageContentPart[]>();
  /** The types and times of the last events, without their content. */
  recentEvents: readonly { type: string; at: number; number?: number | undefined }[] = [];
  waiting: readonly WaitingMessage[] = [];
  approvals: readonly OpenApproval[] = [];
  isBusy = false;
  agent: string | undefined;
  title = '';
  workspace = '';
  model: string | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.agent = options.agent;
  }

  /** Messages that the agent has not received yet, those that are being sent last. */
  get undelivered(): readonly WaitingMessage[] {
    const queued = new Set(this.waiting.map(({ id }) => id));
    const sending = [...this.#sent].flatMap(([id, content]) => (queued.has(id) ? [] : [{ id, content }]));
    return [...this.waiting, ...sending];
  }

  /** Undefined until the first message. */
  get id(): string | undefined {
    return this.#sessionId;
  }

  /** @throws {LonghaulError} `usage` before the first message. */
  requireId(): string {
    if (this.#sessionId !== undefined) return this.#sessionId;
    throw new LonghaulError('usage', 'This conversation has no messages yet. Send the first one.');
  }

  /** Opens an earlier session and follows it. */
  async open(sessionId: string): Promise<void> {
    await this.leave();
    const { client } = this.#options.connection;
    const session = await client.sessions.get(sessionId);
    this.#sessionId = session.id;
    this.title = session.title;
    this.workspace = session.workspace;
    this.model = session.model;
    const agent = session.metadata?.['agent'];
    this.agent = typeof agent === 'string' ? agent : undefined;
    this.isBusy = session.state === 'running';
    this.#follow(session.id, session.lastEvent);
    await Promise.all([this.#readQueue(), this.#readApprovals()]);
  }

  /** Begins a new conversation. The session itself is created by its first message. */
  async reset(): Promise<void> {
    await this.leave();
    this.#sessionId = undefined;
    this.title = '';
    this.model = undefined;
    this.waiting = [];
    this.approvals = [];
    this.isBusy = false;
  }

  async leave(): Promise<void> {
    this.#reading?.ends.abort();
    await this.#reading?.done;
    this.#reading = undefined;
    this.#creating = undefined;
  }

  /** Sends a message: starts a run, or queues the message for the next step of the run. */
  async send(content: readonly UserMessageContentPart[]): Promise<void> {
    const sessionId = await this.#session(content);
    const id = randomUUID();
    this.#sent.set(id, content);
    this.isBusy = true;
    this.#options.listener.onChange();
    try {
      await this.#options.connection.client.sendMessage(sessionId, [...content], { idempotencyKey: id });
    } catch (error) {
      this.#sent.delete(id);
      await this.#readActivity();
      throw error;
    }
  }

  /** Stops the run. Messages that wait are removed from the queue and returned, the oldest first. */
  async stop(): Promise<readonly WaitingMessage[]> {
    const sessionId = this.requireId();
    const { client } = this.#options.connection;
    await this.#readQueue();
    const removed: WaitingMessage[] = [];
    for (const message of this.waiting) if (await this.unqueue(message.id)) removed.push(message);
    await client.cancel(sessionId);
    return removed;
  }

  /** Stops the step and delivers what waits at once. */
  async steer(): Promise<void> {
    const sessionId = this.requireId();
    const { client } = this.#options.connection;
    await client.cancel(sessionId);
    await client.resume(sessionId);
  }

  /** Returns false if the message was delivered before. */
  async unqueue(messageId: string): Promise<boolean> {
    const { client } = this.#options.connection;
    try {
      await client.queue.remove(this.requireId(), messageId);
      this.#sent.delete(messageId);
      await this.#readQueue();
      return true;
    } catch (error) {
      if (toLonghaulError(error).code === 'not_found') return false;
      throw error;
    }
  }

  async answer(
    request: OpenApproval,
    answer: { answer: 'once' | 'always' | 'deny'; reason?: string },
  ): Promise<void> {
    const { client } = this.#options.connection;
    try {
      await client.approvals.answer(this.requireId(), request, answer);
    } catch (error) {
      if (toLonghaulError(error).code !== 'not_found') throw error;
      this.#options.listener.onRemark('Too late: somebody else has answered.');
    }
  }

  async context(): Promise<ContextInfo | undefined> {
    const { client } = this.#options.connection;
    return this.#sessionId === undefined ? undefined : await client.context(this.#sessionId);
  }

  async #session(content: readonly UserMessageContentPart[]): Promise<string> {
    if (this.#sessionId !== undefined) return this.#sessionId;
    this.#creating ??= this.#create(textOf(content));
    try {
      return await this.#creating;
    } finally {
      this.#creating = undefined;
    }
  }

  async #create(task: string): Promise<string> {
    const { client, local } = this.#options.connection;
    const { agent } = this;
    const model = this.#options.model();
    const session = await client.sessions.create({
      task: task.slice(0, MAX_TASK_CHARS),
      ...(model !== undefined && { model }),
      ...(agent !== undefined && { agent }),
    });
    await local?.keepAddress(session.id);
    this.#sessionId = session.id;
    this.workspace = session.workspace;
    this.model = session.model;
    this.title = session.title;
    this.#follow(session.id, 0);
    return session.id;
  }

  #follow(sessionId: string, after: number): void {
    const ends = new AbortController();
    const done = this.#read(sessionId, { after, signal: ends.signal }).catch((error: unknown) => {
      if (!ends.signal.aborted)
        this.#options.listener.onRemark(`The events cannot be read: ${toLonghaulError(error).message}`);
    });
    this.#reading = { ends, done };
  }

  async #read(sessionId: string, { after, signal }: { after: number; signal: AbortSignal }): Promise<void> {
    const { connection, listener } = this.#options;
    const onReconnect = () => listener.onRemark('The connection was lost. Reconnecting; nothing is lost.');
    for await (const event of connection.client.events(sessionId, { after, signal, onReconnect })) {
      await this.#take(event);
      if (signal.aborted) return;
    }
  }

  async #take(event: LonghaulEvent): Promise<void> {
    const { listener } = this.#options;
    const { type, at, number } = event;
    this.recentEvents = [...this.recentEvents.slice(-MAX_RECENT), { type, at, number }];
    switch (event.type) {
      case 'run:started':
        this.isBusy = true;
        break;
      case 'message:queued':
        await this.#readQueue();
        break;
      case 'message:dequeued':
        await this.#deliver(event.ids);
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
    listener.onEvent(event);
    listener.onChange();
  }

  async #deliver(ids: readonly string[]): Promise<void> {
    const known = new Map<string, readonly UserMessageContentPart[]>([
      ...this.waiting.map(({ id, content }) => [id, content] as const),
      ...this.#sent,
    ]);
    for (const id of ids) {
      const content = known.get(id);
      const isOwn = this.#sent.delete(id);
      if (content !== undefined) this.#options.listener.onMessage(content, isOwn);
    }
    this.waiting = this.waiting.filter(({ id }) => !ids.includes(id));
    if (ids.some((id) => !known.has(id))) await this.#readQueue();
  }

  async #readQueue(): Promise<void> {
    if (this.#sessionId === undefined) return;
    const { messages } = await this.#options.connection.client.queue.list(this.#sessionId);
    this.waiting = messages.map(({ id, content }) => ({ id, content }));
  }

  async #readApprovals(): Promise<void> {
    if (this.#sessionId === undefined) return;
    const { approvals } = await this.#options.connection.client.approvals.list(this.#sessionId, {
      open: true,
    });
    this.approvals = this.isBusy ? approvals : [];
  }

  /** A run that follows at once has begun before this is read. */
  async #readActivity(): Promise<void> {
    if (this.#sessionId === undefined) {
      this.isBusy = false;
      return;
    }
    const { state } = await this.#options.connection.client.sessions.get(this.#sessionId);
    this.isBusy = state === 'running';
    if (!this.isBusy) this.approvals = [];
  }
}

const MAX_RECENT = 200;
const MAX_TASK_CHARS = 2_000;

/** The text that a person typed, without attached files. */
export function textOf(content: readonly UserMessageContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}

/** Names of what is attached to a message. */
export function attachedNames(content: readonly UserMessageContentPart[]): string[] {
  return content.flatMap((part) => {
    if (part.type === 'text') return [];
    return [part.type === 'file' && part.filename !== undefined ? part.filename : part.type];
  });
}
