import type { ContextLog } from '@longhaul/context/engine';
import {
  type Approval,
  type Compaction,
  type EventPayload,
  isMessageMark,
  type LonghaulEvent,
  type Mark,
  type Message,
  originOf,
  type Part,
  type QueuedMessage,
} from '@longhaul/protocol';
import type {
  FinishRunOptions,
  Lease,
  LedgerCheckpoint,
  MessageClosing,
  MessageDraft,
  NewApproval,
  SequenceRange,
  SequenceSpan,
  SessionLog,
  SessionView,
  Store,
  TitleChange,
} from '../ports/index.ts';
import type { EventHub } from './events/event-hub.ts';
import { draftQueued } from './messages/draft-queued.ts';
import { storedTokens } from './messages/stored-tokens.ts';

/** The data that is stored together with a compaction. */
export interface CompactionRecord {
  marks: readonly Mark[];
  events: readonly EventPayload[];
  checkpoint?: LedgerCheckpoint | undefined;
  /** What was done in the session. */
  summary?: string | undefined;
  /** A message that follows the compaction. */
  note?: MessageDraft | undefined;
}

export interface TakeQueueOptions {
  /** Default: `draftQueued`. */
  draftMessages?: (queued: readonly QueuedMessage[]) => MessageDraft[];
  /** A message that follows the taken ones. */
  note?: MessageDraft | undefined;
}

/**
 * Changes a session during a run; a run has no other way to do so. Each method stores the change, then updates `log`,
 * then emits the events. `log` contains stored data only.
 */
export class SessionWriter {
  readonly lease: Lease;
  readonly #store: Store;
  readonly #hub: EventHub;
  readonly #messages: Message[];
  readonly #marks: Mark[];

  /**
   * The newest stored time of the session. Later times are never before it, even if the clock was set back: what
   * compares times gets the order of the log.
   */
  #newestAt: number;

  /** Ids of messages in the log without their parts, because a compaction hides them. */
  readonly #unloaded: Set<string>;
  /** See `ContextLog`. */
  readonly #standsFrom: Map<string, number>;
  #unstoredEnd: FinishRunOptions | undefined;

  /** @param options.log The whole log, or the part that the next request needs. */
  constructor(options: { store: Store; lease: Lease; hub: EventHub; log: SessionLog | SessionView }) {
    this.lease = options.lease;
    this.#store = options.store;
    this.#hub = options.hub;
    this.#messages = options.log.messages;
    this.#marks = options.log.marks;
    this.#newestAt = options.log.session.updatedAt;
    const { unloaded = [], standsFrom = [] } = 'unloaded' in options.log ? options.log : {};
    this.#unloaded = new Set(unloaded);
    this.#standsFrom = new Map(standsFrom);
  }

  get log(): ContextLog {
    return { messages: this.#messages, marks: this.#marks, standsFrom: this.#standsFrom };
  }

  get unloaded(): ReadonlySet<string> {
    return this.#unloaded;
  }

  /** Reads messages of the live path from the store, including the parts of unloaded ones. */
  readMessages(page: SequenceRange & { limit: number }): ReturnType<Store['readMessages']> {
    return this.#store.readMessages(this.lease.sessionId, { ...page, skipReverted: true });
  }

  loadCheckpoint(): Promise<LedgerCheckpoint | undefined> {
    return this.#store.loadCheckpoint(this.lease.sessionId);
  }

  async announce(...events: EventPayload[]): Promise<void> {
    this.#emitAll(await this.#store.appendEvents(this.lease, events));
  }

  /** Emits an event without storing or numbering it, such as a chunk or tool progress. */
  emitTransient(payload: EventPayload): void {
    this.#hub.emit({ ...payload, sessionId: this.lease.sessionId, at: this.#timed(Date.now()) });
  }

  async appendMessage(draft: MessageDraft, events: readonly EventPayload[] = []): Promise<Message> {
    const stored = await this.#store.appendMessage(this.lease, this.#timedDraft(draft), events);
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

  /**
   * Takes all queued messages and appends them: what others sent as one message, and what users wrote as another.
   * Returns the appended messages, none if the queue is empty.
   *
   * @param complete Returns a message with everything that belongs to it. If it returns undefined, nothing is taken.
   * @param options `note`: a message that follows the taken ones.
   */
  async takeQueue(
    complete: (message: QueuedMessage) => QueuedMessage | undefined = (message) => message,
    { draftMessages = draftQueued, note }: TakeQueueOptions = {},
  ): Promise<Message[]> {
    const taken = await this.#store.takeQueue(this.lease, (waiting) => {
      const queued = waiting.flatMap((message) => complete(message) ?? []);
      if (queued.length < waiting.length) return undefined;
      const drafts = draftMessages(queued).map((draft) => this.#timedDraft(draft));
      return { drafts, note: note && this.#timedDraft(note), events: [dequeued(queued)] };
    });
    if (taken === undefined) return [];
    this.#messages.push(...taken.messages, ...(taken.note === undefined ? [] : [taken.note]));
    this.#emitAll(taken.events);
    return taken.messages;
  }

  /** Whether messages of the user wait for the next step. */
  async hasQueued(): Promise<boolean> {
    return (await this.listQueued()).length > 0;
  }

  listQueued(): Promise<QueuedMessage[]> {
    return this.#store.listQueue(this.lease.sessionId);
  }

  /** Requests approval, or returns the existing request if it was made before a crash. */
  async requestApproval(request: NewApproval): Promise<Approval> {
    const { approval, events } = await this.#store.requestApproval(this.lease, request);
    this.#emitAll(events);
    return approval;
  }

  async recordCompaction(
    made: Omit<Compaction, 'kind' | 'sessionId'>,
    { marks: madeMarks, events, checkpoint, summary, note }: CompactionRecord,
  ): Promise<void> {
    const marks = madeMarks.map((mark) => this.#timedMark(mark));
    const compaction = { ...made, createdAt: this.#timed(made.createdAt) };
    const hidden = new Set(compaction.hides);
    const spans = this.#spansOf(hidden);
    // The note is later: times show which of both came first.
    const record = {
      marks,
      events,
      checkpoint,
      summary,
      spans,
      note: note && this.#timedDraft({ ...note, createdAt: compaction.createdAt + 1 }),
    };
    const stored = await this.#store.recordCompaction(this.lease, compaction, record);
    this.#collapse(hidden);
    this.#keepMarks({ kind: 'compaction', sessionId: this.lease.sessionId, ...compaction }, marks);
    if (stored.note !== undefined) this.#messages.push(stored.note);
    this.#emitAll(stored.events);
  }

  #spansOf(hidden: ReadonlySet<string>): SequenceSpan[] {
    const spans: SequenceSpan[] = [];
    for (const { id, sequence } of this.#messages) {
      if (!hidden.has(id)) continue;
      const first = this.#standsFrom.get(id) ?? sequence;
      const previous = spans.at(-1);
      if (previous !== undefined && previous[1] === first - 1) previous[1] = sequence;
      else spans.push([first, sequence]);
    }
    return spans;
  }

  /**
   * Frees the parts of hidden messages, and keeps the last of consecutive ones for all of them. The run does not need
   * the others again, and a long run must not keep them in memory.
   */
  #collapse(hidden: ReadonlySet<string>): void {
    const kept: Message[] = [];
    for (const message of this.#messages.splice(0)) {
      const { id, sequence } = message;
      if (!hidden.has(id)) {
        kept.push(message);
        continue;
      }
      let first = this.#standsFrom.get(id) ?? sequence;
      const previous = kept.at(-1);
      if (previous !== undefined && hidden.has(previous.id) && previous.sequence === first - 1) {
        first = this.#standsFrom.get(previous.id) ?? previous.sequence;
        this.#standsFrom.delete(previous.id);
        this.#unloaded.delete(previous.id);
        kept.pop();
      }
      kept.push({ ...message, parts: [] });
      this.#unloaded.add(id);
      if (first < sequence) this.#standsFrom.set(id, first);
    }
    this.#messages.push(...kept);
  }

  /** Keeps the marks that the view needs: no earlier compaction, and no mark of a hidden message. */
  #keepMarks(compaction: Compaction, marks: readonly Mark[]): void {
    const hides = compaction.hides.filter((id) => this.#unloaded.has(id));
    const hidden = new Set(compaction.hides);
    const isNeeded = (mark: Mark) =>
      isMessageMark(mark) && mark.undoneAt === undefined && !hidden.has(mark.messageId);
    const kept = this.#marks.splice(0).filter(isNeeded);
    this.#marks.push(...kept, { ...compaction, hides }, ...marks);
  }

  /**
   * Stores marks. A revert reloads `log`. Record one only between runs: a run keeps facts of the messages that the
   * conversation leaves.
   */
  async recordMarks(marks: readonly Mark[], events: readonly EventPayload[]): Promise<void> {
    const timed = marks.map((mark) => this.#timedMark(mark));
    const stored = await this.#store.recordMarks(this.lease, timed, events);
    if (timed.some(({ kind }) => kind === 'revert')) await this.#reload();
    else this.#marks.push(...timed);
    this.#emitAll(stored);
  }

  async #reload(): Promise<void> {
    const view = await this.#store.loadView(this.lease.sessionId, { collapse: true });
    this.#messages.splice(0, this.#messages.length, ...view.messages);
    this.#marks.splice(0, this.#marks.length, ...view.marks);
    this.#unloaded.clear();
    for (const id of view.unloaded) this.#unloaded.add(id);
    this.#standsFrom.clear();
    for (const [id, first] of view.standsFrom) this.#standsFrom.set(id, first);
  }

  /** Undoes a compaction and the marks that belong to it. The messages it hid stay unloaded in `log`. */
  async undoCompaction(
    { id, round }: Pick<Compaction, 'id' | 'round'>,
    undoneAt = Date.now(),
  ): Promise<void> {
    // Both calls are made in one tick, so that the store commits them together.
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

  /** Undoes a mark. Returns false if it was already undone. */
  async undoMark(markId: string, undoneAt = Date.now()): Promise<boolean> {
    const isUndone = await this.#store.undoMark(this.lease.sessionId, markId, undoneAt);
    for (const mark of this.#marks) if (mark.id === markId) mark.undoneAt ??= undoneAt;
    return isUndone;
  }

  /** Ends a dead run that this run replaces. */
  async closeDeadRun(runId: string, events: readonly EventPayload[]): Promise<void> {
    this.#emitAll(await this.#store.closeDeadRun(this.lease, runId, events));
  }

  /** Gives the session another title, unless somebody else has changed it. Returns whether it has the new one. */
  async retitle(change: TitleChange): Promise<boolean> {
    const events = await this.#store.retitleSession(this.lease, change, [
      { type: 'session:titled', title: change.to },
    ]);
    this.#emitAll(events ?? []);
    return events !== undefined;
  }

  async finishRun(options: FinishRunOptions): Promise<boolean> {
    const outcome = await this.#store.finishRun(this.lease, options);
    this.#unstoredEnd = undefined;
    this.#emitAll(outcome.events);
    return outcome.finished;
  }

  /** Emits the end of a run that the store has refused, and keeps it, to be stored later. */
  leaveUnstored(end: FinishRunOptions): void {
    this.#unstoredEnd = { ...end, onlyIfQueueEmpty: false };
    const finished = end.events.find(({ type }) => type === 'run:finished');
    if (finished !== undefined) this.emitTransient(finished);
  }

  /** The end that the store has refused. Undefined: it is stored, or the run has not ended. */
  get unstoredEnd(): FinishRunOptions | undefined {
    return this.#unstoredEnd;
  }

  #timedDraft(draft: MessageDraft): MessageDraft {
    return { ...draft, createdAt: this.#timed(draft.createdAt) };
  }

  #timedMark<M extends Mark>(mark: M): M {
    return 'compactedAt' in mark
      ? { ...mark, compactedAt: this.#timed(mark.compactedAt) }
      : { ...mark, createdAt: this.#timed(mark.createdAt) };
  }

  #timed(at: number): number {
    this.#newestAt = Math.max(this.#newestAt, at);
    return this.#newestAt;
  }

  #emitAll(events: readonly LonghaulEvent[]): void {
    for (const event of events) {
      this.#timed(event.at);
      this.#hub.emit(event);
    }
  }
}

function dequeued(queued: readonly QueuedMessage[]): EventPayload {
  const ids = queued.map(({ id }) => id);
  const origins = queued.flatMap((message) => originOf(message) ?? []);
  const from = origins.length === 0 ? {} : { origins };
  return { type: 'message:dequeued', count: ids.length, ids, coalesced: ids.length > 1, ...from };
}
