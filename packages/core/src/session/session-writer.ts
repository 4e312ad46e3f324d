import type { ContextLog } from '@longhaul/context';
import type {
  Approval,
  Compaction,
  EventPayload,
  LonghaulEvent,
  Mark,
  Message,
  Part,
} from '@longhaul/protocol';
import type {
  Lease,
  LedgerCheckpoint,
  MessageClosing,
  MessageDraft,
  NewApproval,
  SessionLog,
  SessionView,
  Store,
} from '../ports/index.ts';
import type { EventHub } from './events/event-hub.ts';
import { storedTokens } from './messages/stored-tokens.ts';
import { draftUserMessage } from './messages/user-message.ts';

/** What is stored with a compaction. */
export interface CompactionRecord {
  marks: readonly Mark[];
  events: readonly EventPayload[];
  checkpoint?: LedgerCheckpoint | undefined;
}

/**
 * The only way in which a run changes its session: stores first, then brings its own copy of the log up to date, then tells those who
 * watch. What is in `log` is on disk.
 */
export class SessionWriter {
  readonly lease: Lease;
  readonly #store: Store;
  readonly #hub: EventHub;
  readonly #messages: Message[];
  readonly #marks: Mark[];

  /** Ids of messages that stand in the log without their parts, since a compaction hides them. */
  readonly #unloaded: Set<string>;

  /** @param options.log The whole log, or as much of it as the next request needs. */
  constructor(options: { store: Store; lease: Lease; hub: EventHub; log: SessionLog | SessionView }) {
    this.lease = options.lease;
    this.#store = options.store;
    this.#hub = options.hub;
    this.#messages = options.log.messages;
    this.#marks = options.log.marks;
    this.#unloaded = new Set('unloaded' in options.log ? options.log.unloaded : []);
  }

  get log(): ContextLog {
    return { messages: this.#messages, marks: this.#marks };
  }

  get unloaded(): ReadonlySet<string> {
    return this.#unloaded;
  }

  /** Of the whole log, loaded here or not. */
  readMessages(page: Parameters<Store['readMessages']>[1]): ReturnType<Store['readMessages']> {
    return this.#store.readMessages(this.lease.sessionId, page);
  }

  loadCheckpoint(): Promise<LedgerCheckpoint | undefined> {
    return this.#store.loadCheckpoint(this.lease.sessionId);
  }

  async announce(...events: EventPayload[]): Promise<void> {
    this.#emitAll(await this.#store.appendEvents(this.lease, events));
  }

  /** Not stored, not numbered: chunks and tool progress. */
  emitTransient(payload: EventPayload): void {
    this.#hub.emit({ ...payload, sessionId: this.lease.sessionId, at: Date.now() });
  }

  async appendMessage(draft: MessageDraft, events: readonly EventPayload[] = []): Promise<Message> {
    const stored = await this.#store.appendMessage(this.lease, draft, events);
    this.#messages.push(stored.message);
    this.#emitAll(stored.events);
    return stored.message;
  }

  async putPart(
    message: Message,
    index: number,
    part: Part,
    events: readonly EventPayload[] = [],
  ): Promise<void> {
    const stored = await this.#store.putPart(this.lease, { messageId: message.id, index }, part, events);
    message.parts[index] = part;
    this.#emitAll(stored);
  }

  async closeMessage(
    message: Message,
    closing: Omit<MessageClosing, 'tokenCount'>,
    events: readonly EventPayload[] = [],
  ): Promise<void> {
    const whole = { ...closing, tokenCount: storedTokens(message.parts) };
    const stored = await this.#store.closeMessage(this.lease, message.id, whole, events);
    Object.assign(message, whole);
    this.#emitAll(stored);
  }

  /** Takes what waits and makes it one user message. Undefined when nothing waits. */
  async takeQueue(): Promise<Message | undefined> {
    const taken = await this.#store.takeQueue(this.lease, (queued) => {
      const draft = draftUserMessage(queued);
      const ids = queued.map((message) => message.id);
      const event = { type: 'message:dequeued', count: ids.length, ids, coalesced: ids.length > 1 } as const;
      return { draft, events: [event] };
    });
    if (taken === undefined) return undefined;
    this.#messages.push(taken.message);
    this.#emitAll(taken.events);
    return taken.message;
  }

  /** The request as it stands now: one that was made before a crash is not made again. */
  async requestApproval(request: NewApproval): Promise<Approval> {
    const { approval, events } = await this.#store.requestApproval(this.lease, request);
    this.#emitAll(events);
    return approval;
  }

  async recordCompaction(
    compaction: Omit<Compaction, 'kind' | 'sessionId'>,
    { marks, events, checkpoint }: CompactionRecord,
  ): Promise<void> {
    const stored = await this.#store.recordCompaction(this.lease, compaction, { marks, events, checkpoint });
    this.#marks.push({ kind: 'compaction', sessionId: this.lease.sessionId, ...compaction }, ...marks);
    this.#unload(compaction.hides);
    this.#emitAll(stored);
  }

  /** What is hidden now will not be shown again in this run: hours of work must not stay in memory. */
  #unload(hides: readonly string[]): void {
    const fresh = new Set(hides.filter((id) => !this.#unloaded.has(id)));
    for (const [index, message] of this.#messages.entries()) {
      if (!fresh.has(message.id)) continue;
      this.#messages[index] = { ...message, parts: [] };
      this.#unloaded.add(message.id);
    }
  }

  async recordMarks(marks: readonly Mark[], events: readonly EventPayload[]): Promise<void> {
    const stored = await this.#store.recordMarks(this.lease, marks, events);
    this.#marks.push(...marks);
    this.#emitAll(stored);
  }

  /** Takes a compaction back, and with it the marks that belong to it. What it hid stays unloaded here. */
  async undoCompaction(
    { id, round }: Pick<Compaction, 'id' | 'round'>,
    undoneAt = Date.now(),
  ): Promise<void> {
    // Called in one tick, so that a store commits both together.
    const [, events] = await Promise.all([
      this.#store.undoMark(this.lease.sessionId, id, undoneAt),
      this.#store.appendEvents(this.lease, [{ type: 'context:undone', round }]),
    ]);
    for (const mark of this.#marks) {
      const belongs = mark.id === id || ('compactionId' in mark && mark.compactionId === id);
      if (belongs) mark.undoneAt ??= undoneAt;
    }
    this.#emitAll(events);
  }

  /** @returns Whether the mark stood until now. */
  async undoMark(markId: string, undoneAt = Date.now()): Promise<boolean> {
    const isUndone = await this.#store.undoMark(this.lease.sessionId, markId, undoneAt);
    for (const mark of this.#marks) if (mark.id === markId) mark.undoneAt ??= undoneAt;
    return isUndone;
  }

  /** Ends a run that this one has replaced. */
  async closeDeadRun(runId: string, events: readonly EventPayload[]): Promise<void> {
    this.#emitAll(await this.#store.closeDeadRun(this.lease, runId, events));
  }

  async finishRun(options: Parameters<Store['finishRun']>[1]): Promise<boolean> {
    const outcome = await this.#store.finishRun(this.lease, options);
    this.#emitAll(outcome.events);
    return outcome.finished;
  }

  #emitAll(events: readonly LonghaulEvent[]): void {
    for (const event of events) this.#hub.emit(event);
  }
}
