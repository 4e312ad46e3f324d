import type {
  Approval,
  ApprovalAnswer,
  Compaction,
  EventPayload,
  JsonValue,
  LonghaulEvent,
  Mark,
  Message,
  Part,
  QueuedMessage,
  RunStatus,
  Session,
} from '@longhaul/protocol';

/** Who drives a session. Enough to tell whether it still lives. */
export interface LeaseOwner {
  host: string;
  bootId: string;
  pid: number;
  /** Start time of the process, as the kernel gives it: a pid alone is used again. */
  processStartedAt: string;
}

/** The right to append to one session, held by one run. */
export interface Lease {
  readonly sessionId: string;
  readonly runId: string;
  /** Grows with every acquisition. Appends with an older epoch are refused. */
  readonly epoch: number;
}

/** Who asks whether a session is free, and how it tells the living from the dead. */
export interface Claimant {
  owner: LeaseOwner;
  isAlive: (owner: LeaseOwner) => boolean;
}

export interface LeaseHolder {
  runId: string;
  epoch: number;
  owner: LeaseOwner;
  expiresAt: number;
}

/** What is known of a message when its row is first written; the store gives it its sequence. */
export type MessageDraft = Omit<Message, 'sequence' | 'sessionId'>;

/** Fields of a message that its end brings. */
export type MessageClosing = Pick<Message, 'status' | 'tokenCount'> &
  Partial<Pick<Message, 'finishReason' | 'usage' | 'cost' | 'model'>>;

export type NewApproval = Pick<Approval, 'callId' | 'handle' | 'toolName' | 'args'>;
export type NewSession = Omit<Session, 'updatedAt' | 'status'>;
export type SessionPatch = Partial<Pick<Session, 'status' | 'task' | 'title' | 'model' | 'metadata'>>;

export interface SessionLog {
  session: Session;
  messages: Message[];
  /** All marks, undone ones included, in the order in which they were made. */
  marks: Mark[];
  /** Rows that could not be read, and why. They are left as they are. */
  damaged: DamagedRow[];
}

/** A log without what a compaction hides: enough for the next request, whatever the session's length. */
export interface SessionView extends SessionLog {
  /**
   * Ids of messages that are hidden. They stand in `messages` in their place, without their parts, and without usage and cost unless a run
   * that has no end may have written them.
   */
  unloaded: ReadonlySet<string>;
}

/** The ledger's fold of a session up to a message, so that it need not be computed from the first one. */
export interface LedgerCheckpoint {
  /** Sequence of the last message in it. */
  sequence: number;
  /** As `ledgerFoldToJson` wrote it. */
  fold: string;
}

export interface DamagedRow {
  table: string;
  id: string;
  reason: string;
}

export interface SearchHit {
  sessionId: string;
  messageId: string;
  sequence: number;
  partIndex: number;
  /** A piece of the text around the match. */
  snippet: string;
}

export interface FinishRunOptions {
  status: RunStatus;
  sessionStatus: Session['status'];
  /** Close only if no message waits in the queue. Used by a run that believes it is done. */
  onlyIfQueueEmpty: boolean;
  events: readonly EventPayload[];
}

export interface RunRecord {
  runId: string;
  sessionId: string;
  owner: LeaseOwner;
  startedAt: number;
  /** Absent while it runs, and of a run whose process died, until `closeDeadRun`. */
  endedAt?: number;
  status?: RunStatus;
}

/** Sequences, themselves not included. */
export interface SequenceRange {
  after?: number;
  before?: number;
}

export interface ForkOptions {
  /** Sequence of the last message that is copied. Default: all are. */
  at?: number;
  /** Ids of copied messages and marks. */
  newId: () => string;
  /** What becomes of a part that is still open. Pure. */
  close: (part: Part) => Part;
}

/**
 * Where sessions live.
 *
 * Every method is atomic: all of it is stored, or nothing, and what it returns is on disk. Methods that take a `Lease`
 * check its epoch in the same transaction and refuse a stale one with `lease_lost`. Methods that take `events` store
 * them in the same transaction and return them numbered, in the order given.
 *
 * A store may combine concurrent calls of one tick into one commit; each call still succeeds or fails alone.
 *
 * @throws {LonghaulError} `session_not_found`, `lease_lost`, `store_unavailable` (retryable: locked for longer than the busy
 * timeout), `store_full`, `store_readonly`, `store_corrupt`, `store_newer`.
 */
export interface Store extends AsyncDisposable {
  createSession(session: NewSession): Promise<Session>;
  getSession(sessionId: string): Promise<Session | undefined>;
  /** Newest first. `before` is the id of the last session of the page before; `search`: words, each in title or task. */
  listSessions(options?: { limit?: number; before?: string; search?: string }): Promise<Session[]>;
  updateSession(sessionId: string, patch: SessionPatch): Promise<Session>;
  /**
   * A new session that begins as the source stood at message `at`: messages, parts, and the marks on them. A compaction that was made
   * later, or hides a later message, is left out with the marks that belong to it. Sequences, and so handles, stay; blobs are shared.
   *
   * @throws {LonghaulError} `not_found` when the source has no message `at`.
   */
  forkSession(sourceId: string, session: NewSession, options: ForkOptions): Promise<Session>;
  deleteSession(sessionId: string): Promise<void>;

  /**
   * Takes the session for a run, if nobody holds it, or if its holder is dead (`isAlive` says no) or its lease expired. The run of a
   * holder that is replaced stays without an end until `closeDeadRun`.
   *
   * Between processes of one boot, expiry is measured on the machine's own uptime: a clock that is set makes no difference.
   *
   * @throws {LonghaulError} `session_busy` with the holder in `data`.
   */
  acquireLease(
    sessionId: string,
    options: Claimant & { runId: string; ttlMs: number; events?: readonly EventPayload[] },
  ): Promise<{ lease: Lease; events: LonghaulEvent[] }>;
  renewLease(lease: Lease, ttlMs: number): Promise<void>;
  /** Who holds the session. With a claimant, only a holder that `acquireLease` would not replace. */
  leaseHolder(sessionId: string, claimant?: Claimant): Promise<LeaseHolder | undefined>;
  /** Ends, as interrupted, a run that another replaced. Does nothing and answers `[]` when it has an end. */
  closeDeadRun(lease: Lease, runId: string, events: readonly EventPayload[]): Promise<LonghaulEvent[]>;
  /**
   * Ends the run and gives the lease back. With `onlyIfQueueEmpty` and a message waiting, changes nothing and answers
   * `{finished: false}`.
   */
  finishRun(lease: Lease, options: FinishRunOptions): Promise<{ finished: boolean; events: LonghaulEvent[] }>;
  listRuns(sessionId: string): Promise<RunRecord[]>;
  /** Of each session whose newest run has no end, or ended as interrupted, that run; the newest first. */
  listUnfinishedRuns(options: { limit: number }): Promise<RunRecord[]>;
  /**
   * Asks the run that holds the session to end. Answers who holds it; nobody, when nobody alive does. The wish stands until
   * `answerCancel`, or until the run is deleted.
   */
  requestCancel(
    sessionId: string,
    options: Claimant & { clearQueue: boolean },
  ): Promise<{ holder?: LeaseHolder; clearedMessages: number }>;
  /** Whether someone wants the run to end, and it has not answered. */
  hasCancelRequest(runId: string): Promise<boolean>;
  /** The run has ended and nothing of it goes on: whoever asked for it may go on. */
  answerCancel(runId: string): Promise<void>;

  appendMessage(
    lease: Lease,
    draft: MessageDraft,
    events?: readonly EventPayload[],
  ): Promise<{ message: Message; events: LonghaulEvent[] }>;
  /**
   * Writes the part at `index`: a new one when `index` is the number of the message's parts, else a later state of the
   * part there. A closed part never changes: that is refused with `internal`.
   */
  putPart(
    lease: Lease,
    target: { messageId: string; index: number },
    part: Part,
    events?: readonly EventPayload[],
  ): Promise<LonghaulEvent[]>;
  closeMessage(
    lease: Lease,
    messageId: string,
    closing: MessageClosing,
    events?: readonly EventPayload[],
  ): Promise<LonghaulEvent[]>;
  appendEvents(lease: Lease, events: readonly EventPayload[]): Promise<LonghaulEvent[]>;

  /** Stores a message for the next step, from any process. Repeating an id stores nothing and answers as at first. */
  enqueue(
    sessionId: string,
    message: QueuedMessage,
    options: { maxPending: number },
  ): Promise<{ position: number; events: LonghaulEvent[] }>;
  listQueue(sessionId: string): Promise<QueuedMessage[]>;
  editQueued(sessionId: string, id: string, content: QueuedMessage['content']): Promise<boolean>;
  removeQueued(sessionId: string, id: string): Promise<boolean>;
  clearQueue(sessionId: string): Promise<number>;
  /**
   * Takes all that wait and appends the one message that `build` makes of them. `build` is called inside the transaction,
   * with at least one message, and must be pure. Returns undefined when nothing waits.
   */
  takeQueue(
    lease: Lease,
    build: (queued: readonly QueuedMessage[]) => { draft: MessageDraft; events: readonly EventPayload[] },
  ): Promise<{ message: Message; events: LonghaulEvent[] } | undefined>;

  /** Stores that a call waits for an answer, with `approval:requested`. Repeating a handle stores nothing and answers as it stands now, with no events. */
  requestApproval(
    lease: Lease,
    request: NewApproval,
  ): Promise<{ approval: Approval; events: LonghaulEvent[] }>;
  /**
   * Answers the newest request with this call id, from any process, with `approval:answered`. The first answer holds: `isNew` is false
   * when there was one. Undefined when nothing was asked for.
   */
  answerApproval(
    sessionId: string,
    callId: string,
    answer: { answer: ApprovalAnswer; reason?: string },
  ): Promise<{ approval: Approval; isNew: boolean; events: LonghaulEvent[] } | undefined>;
  /** In the order in which they were requested. */
  listApprovals(sessionId: string, options?: { open?: boolean }): Promise<Approval[]>;

  /** The compaction row, its summary and all further marks, in one transaction. */
  recordCompaction(
    lease: Lease,
    compaction: Omit<Compaction, 'kind' | 'sessionId'>,
    options?: {
      marks?: readonly Mark[];
      events?: readonly EventPayload[];
      /** Takes the place of the session's last one. */
      checkpoint?: LedgerCheckpoint | undefined;
    },
  ): Promise<LonghaulEvent[]>;
  loadCheckpoint(sessionId: string): Promise<LedgerCheckpoint | undefined>;
  recordMarks(
    lease: Lease,
    marks: readonly Mark[],
    events?: readonly EventPayload[],
  ): Promise<LonghaulEvent[]>;
  /** Marks the mark as undone; with a compaction, the prune and cut marks that name it by `compactionId` too. Undoing what was undone, or an id that is not there, answers false. */
  undoMark(sessionId: string, markId: string, undoneAt: number): Promise<boolean>;

  loadLog(sessionId: string): Promise<SessionLog>;
  /**
   * The log as the next request needs it. `buildView` makes the same of it as of the whole log: only marks that hide something of it, or could
   * again, are there, and undone compactions name nothing.
   */
  loadView(sessionId: string): Promise<SessionView>;
  /**
   * A page of the session's messages, in their order: those after a sequence, from the oldest on; else the newest, of those before one
   * where that is given.
   */
  readMessages(
    sessionId: string,
    options: SequenceRange & { limit: number },
  ): Promise<Pick<SessionLog, 'messages' | 'damaged'>>;
  /** All marks of the session, as `loadLog` gives them. */
  readMarks(sessionId: string): Promise<Pick<SessionLog, 'marks' | 'damaged'>>;
  /** The number of the session's newest event, 0 without one. */
  lastEventNumber(sessionId: string): Promise<number>;
  /** Durable events with a number greater than `after`, in order. */
  readEvents(sessionId: string, options?: { after?: number; limit?: number }): Promise<LonghaulEvent[]>;
  /**
   * Parts whose text holds all the terms, best first. Identifiers are found by their words too (`retryAfter` by "retry").
   * A part is found once it is closed. Terms are literal: no query syntax.
   */
  search(terms: string, options?: { sessionId?: string; limit?: number }): Promise<SearchHit[]>;

  /** What was set while the program ran. Undefined: nothing, or taken back. */
  getSetting(key: string): Promise<JsonValue | undefined>;
  /** Undefined takes it back. */
  putSetting(key: string, value: JsonValue | undefined): Promise<void>;

  /**
   * Calls the listener, within a moment, after another process has changed what is stored, and after a cancel was asked for or
   * answered. It is not said what changed. Does not keep a process alive.
   */
  watch(listener: () => void): Disposable;
}
