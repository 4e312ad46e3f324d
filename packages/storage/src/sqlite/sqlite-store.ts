import type {
  Claimant,
  FinishRunOptions,
  ForkOptions,
  Lease,
  LeaseHolder,
  LedgerCheckpoint,
  MessageClosing,
  MessageDraft,
  NewApproval,
  NewSession,
  RunRecord,
  SearchHit,
  SessionLog,
  SessionPatch,
  SessionView,
  Store,
} from '@longhaul/core';
import type { ServedModel, WindowMemory } from '@longhaul/models';
import type {
  Approval,
  Compaction,
  EventPayload,
  JsonValue,
  LonghaulEvent,
  Mark,
  Message,
  Part,
  QueuedMessage,
  Session,
} from '@longhaul/protocol';
import { answeredEvent, requestedEvent } from '../shared/approval-events.ts';
import type { Clock } from '../shared/clock.ts';
import type { Listeners } from '../shared/listeners.ts';
import { storeClosed } from '../shared/store-errors.ts';
import { type ApprovalTable, createApprovalTable } from './approval-table.ts';
import { type CancelTable, createCancelTable } from './cancel-table.ts';
import { createChangeWatcher } from './change-watcher.ts';
import { type CheckpointTable, createCheckpointTable } from './checkpoint-table.ts';
import type { Connection } from './connection.ts';
import type { DatabaseFile } from './database-file.ts';
import { dropRest } from './drop-session.ts';
import { createEventLog, type EventLog } from './event-log.ts';
import { forkSession } from './fork-session.ts';
import { type AcquireOptions, createLeaseTable, type LeaseTable } from './lease-table.ts';
import {
  assembleLog,
  assembleMarkLog,
  assembleMessages,
  readLogRows,
  readMarks,
  readMessageRows,
} from './log-reader.ts';
import { createMarkTable, type MarkTable } from './mark-table.ts';
import { createMessageTable, type MessageTable } from './message-table.ts';
import { createPartSearch, type PartSearch } from './part-search.ts';
import { createPartTable, type PartTable } from './part-table.ts';
import { createQueueTable, type QueueTable } from './queue-table.ts';
import { createSessionHeads, type Head, type SessionHeads } from './session-heads.ts';
import { createSessionTable, type SessionTable } from './session-table.ts';
import { createSettingsTable, type SettingsTable } from './settings-table.ts';
import { mapSqliteError } from './sqlite-errors.ts';
import { TransactionQueue } from './transaction-queue.ts';
import { assembleView, readViewRows } from './view-reader.ts';
import { createWindowTable, type WindowTable } from './window-table.ts';

/** The Store port on one SQLite connection. Opened by `openSqliteStore`. */
export class SqliteStore implements Store, WindowMemory {
  readonly #connection: Connection;
  readonly #transactions: TransactionQueue;
  readonly #heads: SessionHeads;
  readonly #sessions: SessionTable;
  readonly #leases: LeaseTable;
  readonly #cancels: CancelTable;
  readonly #checkpoints: CheckpointTable;
  readonly #messages: MessageTable;
  readonly #parts: PartTable;
  readonly #events: EventLog;
  readonly #queue: QueueTable;
  readonly #marks: MarkTable;
  readonly #approvals: ApprovalTable;
  readonly #settings: SettingsTable;
  readonly #windows: WindowTable;
  readonly #search: PartSearch;
  readonly #watchers: Listeners;
  #closed = false;

  constructor(
    connection: Connection,
    { path, clock, file }: { path: string; clock: Clock; file: DatabaseFile },
  ) {
    const { db } = connection;
    const { now } = clock;
    this.#connection = connection;
    this.#heads = createSessionHeads(db, now);
    this.#sessions = createSessionTable(db, this.#heads);
    this.#leases = createLeaseTable(db, clock);
    this.#cancels = createCancelTable(db, now);
    this.#checkpoints = createCheckpointTable(db);
    this.#events = createEventLog(db, now);
    this.#search = createPartSearch(db);
    this.#parts = createPartTable(db, this.#search);
    this.#messages = createMessageTable(db, this.#parts);
    this.#queue = createQueueTable(db, this.#events);
    this.#marks = createMarkTable(db);
    this.#watchers = createChangeWatcher(connection);
    this.#settings = createSettingsTable(db);
    this.#windows = createWindowTable(db, now);
    this.#approvals = createApprovalTable(db, now);
    this.#transactions = new TransactionQueue(connection, {
      file,
      mapError: (thrown) => mapSqliteError(thrown, path),
      forget: () => {
        this.#heads.forget();
        this.#parts.forget();
      },
    });
  }

  createSession(session: NewSession): Promise<Session> {
    return this.#write(() => this.#sessions.create(session));
  }

  getSession(sessionId: string): Promise<Session | undefined> {
    return this.#read(() => this.#sessions.get(sessionId));
  }

  listSessions({ limit = 50, ...page }: Parameters<Store['listSessions']>[0] = {}): Promise<Session[]> {
    return this.#read(() => this.#sessions.list({ limit, ...page }));
  }

  updateSession(sessionId: string, patch: SessionPatch): Promise<Session> {
    return this.#write(() => this.#sessions.update(sessionId, patch));
  }

  forkSession(sourceId: string, session: NewSession, options: ForkOptions): Promise<Session> {
    const tables = {
      db: this.#connection.db,
      sessions: this.#sessions,
      heads: this.#heads,
      parts: this.#parts,
      marks: this.#marks,
      write: <T>(write: () => T) => this.#write(write),
      read: <T>(read: () => T) => this.#read(read),
    };
    return forkSession(tables, { sourceId, session, options });
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.#write(() => this.#sessions.close(sessionId));
    await this.dropRest(sessionId);
  }

  /** Of a session that is no longer there for anyone, and that a process did not get to drop. */
  dropRest(sessionId: string): Promise<void> {
    return dropRest({ db: this.#connection.db, write: (write) => this.#write(write) }, sessionId);
  }

  acquireLease(
    sessionId: string,
    { events = [], ...options }: AcquireOptions & { events?: readonly EventPayload[] },
  ): Promise<{ lease: Lease; events: LonghaulEvent[] }> {
    return this.#write(() => {
      const head = this.#heads.of(sessionId);
      const lease = this.#leases.acquire(head, options);
      return { lease, events: this.#appendAndSave(head, events) };
    });
  }

  renewLease(lease: Lease, ttlMs: number): Promise<void> {
    return this.#write(() => {
      const head = this.#heads.held(lease);
      this.#leases.renew(head, ttlMs);
      this.#heads.save(head);
    });
  }

  leaseHolder(sessionId: string, claimant?: Claimant): Promise<LeaseHolder | undefined> {
    return this.#read(() => this.#leases.holder(this.#heads.of(sessionId), claimant));
  }

  closeDeadRun(lease: Lease, runId: string, events: readonly EventPayload[]): Promise<LonghaulEvent[]> {
    return this.#write(() => {
      const head = this.#heads.held(lease);
      return this.#leases.closeDead(lease, runId) ? this.#appendAndSave(head, events) : [];
    });
  }

  finishRun(
    lease: Lease,
    { status, sessionStatus, onlyIfQueueEmpty, events }: FinishRunOptions,
  ): Promise<{ finished: boolean; events: LonghaulEvent[] }> {
    return this.#write(() => {
      const head = this.#heads.held(lease);
      if (onlyIfQueueEmpty && this.#queue.pending(lease.sessionId) > 0)
        return { finished: false, events: [] };
      this.#leases.end(head, status);
      this.#sessions.setStatus(lease.sessionId, sessionStatus);
      return { finished: true, events: this.#appendAndSave(head, events) };
    });
  }

  listRuns(sessionId: string): Promise<RunRecord[]> {
    return this.#read(() => {
      this.#heads.of(sessionId);
      return this.#leases.list(sessionId);
    });
  }

  listUnfinishedRuns({ limit }: { limit: number }): Promise<RunRecord[]> {
    return this.#read(() => this.#leases.listUnfinished(limit));
  }

  async requestCancel(
    sessionId: string,
    { clearQueue, ...claimant }: Claimant & { clearQueue: boolean },
  ): Promise<{ holder?: LeaseHolder; clearedMessages: number }> {
    const answer = await this.#inSession(sessionId, () => {
      const holder = this.#leases.holder(this.#heads.of(sessionId), claimant);
      if (holder !== undefined) this.#cancels.request({ runId: holder.runId, sessionId, clearQueue });
      const clearedMessages = clearQueue ? this.#queue.clear(sessionId) : 0;
      return { ...(holder === undefined ? {} : { holder }), clearedMessages };
    });
    this.#watchers.notifySoon();
    return answer;
  }

  hasCancelRequest(runId: string): Promise<boolean> {
    return this.#read(() => this.#cancels.has(runId));
  }

  async answerCancel(runId: string): Promise<void> {
    await this.#write(() => this.#cancels.answer(runId));
    this.#watchers.notifySoon();
  }

  appendMessage(
    lease: Lease,
    draft: MessageDraft,
    events: readonly EventPayload[] = [],
  ): Promise<{ message: Message; events: LonghaulEvent[] }> {
    return this.#write(() => {
      const head = this.#heads.held(lease);
      const message = this.#messages.append(head, draft);
      return { message, events: this.#appendAndSave(head, events) };
    });
  }

  putPart(
    lease: Lease,
    target: { messageId: string; index: number },
    part: Part,
    events: readonly EventPayload[] = [],
  ): Promise<LonghaulEvent[]> {
    return this.#append(lease, events, () => this.#parts.put(lease.sessionId, target, part));
  }

  closeMessage(
    lease: Lease,
    messageId: string,
    closing: MessageClosing,
    events: readonly EventPayload[] = [],
  ): Promise<LonghaulEvent[]> {
    return this.#append(lease, events, () => this.#messages.close(lease.sessionId, messageId, closing));
  }

  appendEvents(lease: Lease, events: readonly EventPayload[]): Promise<LonghaulEvent[]> {
    return this.#append(lease, events, () => {});
  }

  enqueue(
    sessionId: string,
    message: QueuedMessage,
    { maxPending }: { maxPending: number },
  ): Promise<{ position: number; events: LonghaulEvent[] }> {
    return this.#write(() => {
      const head = this.#heads.of(sessionId);
      const { lastEvent } = head;
      const answer = this.#queue.add(head, message, maxPending);
      if (head.lastEvent > lastEvent) this.#heads.save(head);
      return answer;
    });
  }

  listQueue(sessionId: string): Promise<QueuedMessage[]> {
    return this.#read(() => {
      this.#heads.of(sessionId);
      return this.#queue.list(sessionId);
    });
  }

  editQueued(sessionId: string, id: string, content: QueuedMessage['content']): Promise<boolean> {
    return this.#inSession(sessionId, () => this.#queue.edit(sessionId, id, content));
  }

  removeQueued(sessionId: string, id: string): Promise<boolean> {
    return this.#inSession(sessionId, () => this.#queue.remove(sessionId, id));
  }

  clearQueue(sessionId: string): Promise<number> {
    return this.#inSession(sessionId, () => this.#queue.clear(sessionId));
  }

  takeQueue(
    lease: Lease,
    build: (queued: readonly QueuedMessage[]) => { draft: MessageDraft; events: readonly EventPayload[] },
  ): Promise<{ message: Message; events: LonghaulEvent[] } | undefined> {
    return this.#write(() => {
      const head = this.#heads.held(lease);
      const taken = this.#queue.take(lease.sessionId);
      if (taken.length === 0) return undefined;
      const { draft, events } = build(taken);
      const message = this.#messages.append(head, draft);
      return { message, events: this.#appendAndSave(head, events) };
    });
  }

  requestApproval(
    lease: Lease,
    request: NewApproval,
  ): Promise<{ approval: Approval; events: LonghaulEvent[] }> {
    return this.#write(() => {
      const head = this.#heads.held(lease);
      const known = this.#approvals.find(lease.sessionId, request.handle);
      if (known !== undefined) return { approval: known, events: [] };
      const approval = this.#approvals.add(lease.sessionId, request);
      return { approval, events: this.#appendAndSave(head, [requestedEvent(approval)]) };
    });
  }

  answerApproval(
    ...[sessionId, callId, answer]: Parameters<Store['answerApproval']>
  ): ReturnType<Store['answerApproval']> {
    return this.#write(() => {
      const head = this.#heads.of(sessionId);
      const known = this.#approvals.newestOf(sessionId, callId);
      if (known === undefined) return undefined;
      if (known.answeredAt !== undefined) return { approval: known, isNew: false, events: [] };
      const approval = this.#approvals.answer(known, answer);
      return { approval, isNew: true, events: this.#appendAndSave(head, [answeredEvent(approval)]) };
    });
  }

  listApprovals(sessionId: string, options: { open?: boolean } = {}): Promise<Approval[]> {
    return this.#read(() => {
      this.#heads.of(sessionId);
      return this.#approvals.list(sessionId, options);
    });
  }

  recordCompaction(
    lease: Lease,
    compaction: Omit<Compaction, 'kind' | 'sessionId'>,
    { marks = [], events = [], checkpoint }: Parameters<Store['recordCompaction']>[2] = {},
  ): Promise<LonghaulEvent[]> {
    const { sessionId } = lease;
    return this.#append(lease, events, () => {
      this.#marks.add(sessionId, { ...compaction, kind: 'compaction', sessionId });
      for (const mark of marks) this.#marks.add(sessionId, mark);
      if (checkpoint !== undefined) this.#checkpoints.put(sessionId, checkpoint);
    });
  }

  loadCheckpoint(sessionId: string): Promise<LedgerCheckpoint | undefined> {
    return this.#read(() => this.#checkpoints.get(sessionId));
  }

  recordMarks(
    lease: Lease,
    marks: readonly Mark[],
    events: readonly EventPayload[] = [],
  ): Promise<LonghaulEvent[]> {
    return this.#append(lease, events, () => {
      for (const mark of marks) this.#marks.add(lease.sessionId, mark);
    });
  }

  undoMark(sessionId: string, markId: string, undoneAt: number): Promise<boolean> {
    return this.#inSession(sessionId, () => this.#marks.undo(sessionId, markId, undoneAt));
  }

  async loadLog(sessionId: string): Promise<SessionLog> {
    const { session, rows } = await this.#read(() => ({
      session: this.#sessions.existing(sessionId),
      rows: readLogRows(this.#connection.db, sessionId),
    }));
    return assembleLog(session, rows);
  }

  async readMessages(
    ...[sessionId, range]: Parameters<Store['readMessages']>
  ): ReturnType<Store['readMessages']> {
    const rows = await this.#read(() => {
      this.#heads.of(sessionId);
      return readMessageRows(this.#connection.db, sessionId, range);
    });
    return assembleMessages(rows);
  }

  async readMarks(sessionId: string): ReturnType<Store['readMarks']> {
    const rows = await this.#read(() => {
      this.#heads.of(sessionId);
      return readMarks(this.#connection.db, sessionId);
    });
    return assembleMarkLog(rows);
  }

  async loadView(sessionId: string): Promise<SessionView> {
    const { session, rows } = await this.#read(() => ({
      session: this.#sessions.existing(sessionId),
      rows: readViewRows(this.#connection.db, sessionId),
    }));
    return assembleView(session, rows);
  }

  lastEventNumber(sessionId: string): Promise<number> {
    return this.#read(() => this.#heads.of(sessionId).lastEvent);
  }

  readEvents(
    sessionId: string,
    { after = 0, limit = -1 }: { after?: number; limit?: number } = {},
  ): Promise<LonghaulEvent[]> {
    return this.#read(() => {
      this.#heads.of(sessionId);
      return this.#events.read(sessionId, { after, limit });
    });
  }

  search(
    terms: string,
    { sessionId, limit = 20 }: { sessionId?: string; limit?: number } = {},
  ): Promise<SearchHit[]> {
    return this.#read(() => this.#search.find(terms, { sessionId, limit }));
  }

  getSetting(key: string): Promise<JsonValue | undefined> {
    return this.#read(() => this.#settings.get(key));
  }

  putSetting(key: string, value: JsonValue | undefined): Promise<void> {
    return this.#write(() => this.#settings.put(key, value));
  }

  watch(listener: () => void): Disposable {
    if (this.#closed) throw storeClosed();
    return this.#watchers.add(listener);
  }

  learnedWindow(server: ServedModel, reportedTokens?: number): Promise<number | undefined> {
    return this.#read(() => this.#windows.get(server, reportedTokens));
  }

  learnWindow(server: ServedModel, windowTokens: number, reportedTokens?: number): Promise<void> {
    return this.#write(() => this.#windows.put(server, windowTokens, reportedTokens));
  }

  forgetWindow(server: ServedModel): Promise<void> {
    return this.#write(() => this.#windows.remove(server));
  }

  /** Stores what was called before, then closes. A second call does nothing. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#watchers.clear();
    this.#transactions.flush();
    this.#connection.close();
  }

  #append(lease: Lease, events: readonly EventPayload[], write: () => void): Promise<LonghaulEvent[]> {
    return this.#write(() => {
      const head = this.#heads.held(lease);
      write();
      return events.length === 0 ? [] : this.#appendAndSave(head, events);
    });
  }

  #appendAndSave(head: Head, events: readonly EventPayload[]): LonghaulEvent[] {
    const numbered = this.#events.append(head, events);
    this.#heads.save(head);
    return numbered;
  }

  #inSession<T>(sessionId: string, write: () => T): Promise<T> {
    return this.#write(() => {
      this.#heads.of(sessionId);
      return write();
    });
  }

  async #write<T>(write: () => T): Promise<T> {
    if (this.#closed) throw storeClosed();
    return this.#transactions.write(write);
  }

  async #read<T>(read: () => T): Promise<T> {
    if (this.#closed) throw storeClosed();
    return this.#transactions.read(read);
  }
}
