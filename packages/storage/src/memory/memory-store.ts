import type {
  Claimant,
  FinishRunOptions,
  Lease,
  LeaseHolder,
  SessionLog,
  SessionView,
  Store,
} from '@longhaul/core';
import {
  isOpen,
  type JsonValue,
  type LonghaulEvent,
  type Mark,
  type Message,
  toLonghaulError,
} from '@longhaul/protocol';
import { answeredEvent, requestedEvent } from '../shared/approval-events.ts';
import { type Clock, expiryAfter, isHeld, machineUptime } from '../shared/clock.ts';
import { createMarkFork } from '../shared/forked-marks.ts';
import { Listeners } from '../shared/listeners.ts';
import { searchWords, sessionHolds } from '../shared/session-search.ts';
import {
  assertDurable,
  idTaken,
  messageNotInSession,
  noSuchMessage,
  partIsClosed,
  partLeavesHole,
  queueFull,
  sessionBusy,
  sessionExists,
  sessionNotFound,
  storeClosed,
} from '../shared/store-errors.ts';
import { hiddenIds, shownMarks } from '../shared/view-marks.ts';
import { searchMessages } from './memory-search.ts';
import { MemorySession } from './memory-session.ts';

export interface MemoryStoreOptions {
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
  /** Milliseconds since the machine started, which no one can set. Default: the machine's. */
  uptime?: () => number;
}

/** A store that lives as long as its process: for tests, and for sessions that nobody needs again. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore({ now: options.now ?? Date.now, uptime: options.uptime ?? machineUptime });
}

/**
 * Each method does all its work at once, so that nothing can come between. What goes in and out is cloned: a caller cannot change what
 * is stored.
 */
class MemoryStore implements Store {
  #sessions: Map<string, MemorySession> | undefined = new Map();
  readonly #settings = new Map<string, JsonValue>();
  readonly #watchers = new Listeners();
  readonly #clock: Clock;
  readonly #now: () => number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#now = clock.now;
  }

  createSession: Store['createSession'] = async (session) => {
    if (this.#all.has(session.id)) throw sessionExists(session.id);
    const stored = { ...structuredClone(session), status: 'active' as const, updatedAt: session.createdAt };
    this.#all.set(session.id, new MemorySession(stored, this.#now));
    return structuredClone(stored);
  };

  getSession: Store['getSession'] = async (sessionId) => structuredClone(this.#all.get(sessionId)?.session);

  listSessions: Store['listSessions'] = async ({ limit = 50, before, search } = {}) => {
    const newestFirst = [...this.#all.values()]
      .map(({ session }) => session)
      .toSorted((left, right) => right.createdAt - left.createdAt || (left.id < right.id ? 1 : -1));
    const start = before === undefined ? 0 : newestFirst.indexOf(this.#get(before).session) + 1;
    const words = searchWords(search);
    const found = newestFirst.slice(start).filter((session) => sessionHolds(session, words));
    return structuredClone(found.slice(0, limit));
  };

  updateSession: Store['updateSession'] = async (sessionId, patch) => {
    const held = this.#get(sessionId);
    const given = Object.entries(patch).filter(([, value]) => value !== undefined);
    Object.assign(held.session, structuredClone(Object.fromEntries(given)));
    held.touch();
    return structuredClone(held.session);
  };

  deleteSession: Store['deleteSession'] = async (sessionId) => {
    this.#get(sessionId);
    this.#all.delete(sessionId);
  };

  forkSession: Store['forkSession'] = async (sourceId, session, { at, newId, close }) => {
    const source = this.#get(sourceId);
    const last = source.messages.at(-1)?.sequence ?? 0;
    const end = at ?? last;
    if (end > last || (end < 1 && last > 0)) throw noSuchMessage(sourceId, end, last);
    await this.createSession(session);
    const fork = this.#get(session.id);
    const messageIds = new Map<string, string>();
    for (const message of source.messages.slice(0, end)) {
      const id = newId();
      messageIds.set(message.id, id);
      const copy = { ...structuredClone(message), id, sessionId: session.id };
      if (copy.status === 'running') copy.status = 'interrupted';
      copy.parts = copy.parts.map((part) => (isOpen(part) ? close(part) : part));
      fork.messages.push(copy);
    }
    const before = source.messages[end]?.createdAt ?? Number.POSITIVE_INFINITY;
    const marks = structuredClone(source.marks);
    const markFork = createMarkFork({ sessionId: session.id, messageIds, newId, before });
    for (const mark of marks) if (mark.kind === 'compaction') markFork.meet(mark);
    fork.marks.push(...marks.flatMap((mark) => markFork.fork(mark) ?? []));
    fork.touch();
    return structuredClone(fork.session);
  };

  acquireLease: Store['acquireLease'] = async (sessionId, { runId, ttlMs, events = [], ...claimant }) => {
    const held = this.#get(sessionId);
    assertDurable(events);
    const holder = this.#holder(held, claimant);
    if (holder !== undefined) throw sessionBusy(sessionId, holder);
    if (this.#list.some(({ runs }) => runs.some((run) => run.runId === runId))) throw idTaken('run', runId);
    held.epoch += 1;
    const { epoch } = held;
    const owner = structuredClone(claimant.owner);
    held.holder = { runId, epoch, owner, ...expiryAfter(ttlMs, this.#clock) };
    held.runs.push({ runId, sessionId, owner: structuredClone(owner), startedAt: this.#now() });
    return { lease: { sessionId, runId, epoch }, events: held.appendEvents(events) };
  };

  renewLease: Store['renewLease'] = async (lease, ttlMs) => {
    const { holder } = this.#held(lease);
    if (holder !== undefined) Object.assign(holder, expiryAfter(ttlMs, this.#clock));
  };

  leaseHolder: Store['leaseHolder'] = async (sessionId, claimant) =>
    structuredClone(this.#holder(this.#get(sessionId), claimant));

  closeDeadRun: Store['closeDeadRun'] = async (lease, runId, events) => {
    const held = this.#held(lease, events);
    const dead = held.runs.find((run) => run.runId === runId && run.endedAt === undefined);
    if (dead === undefined || runId === lease.runId) return [];
    Object.assign(dead, { endedAt: this.#now(), status: 'interrupted' });
    return held.appendEvents(events);
  };

  requestCancel: Store['requestCancel'] = async (sessionId, { clearQueue, ...claimant }) => {
    const held = this.#get(sessionId);
    const holder = this.#holder(held, claimant);
    if (holder !== undefined) held.cancels.add(holder.runId);
    const clearedMessages = clearQueue ? held.clearQueue() : 0;
    this.#watchers.notifySoon();
    return { ...(holder === undefined ? {} : { holder: structuredClone(holder) }), clearedMessages };
  };

  hasCancelRequest: Store['hasCancelRequest'] = async (runId) =>
    this.#list.some(({ cancels }) => cancels.has(runId));

  answerCancel: Store['answerCancel'] = async (runId) => {
    for (const { cancels } of this.#list) cancels.delete(runId);
    this.#watchers.notifySoon();
  };

  finishRun: Store['finishRun'] = async (lease, options: FinishRunOptions) => {
    const held = this.#held(lease, options.events);
    if (options.onlyIfQueueEmpty && held.waiting.length > 0) return { finished: false, events: [] };
    held.endRun(options.status);
    held.session.status = options.sessionStatus;
    held.touch();
    return { finished: true, events: held.appendEvents(options.events) };
  };

  listRuns: Store['listRuns'] = async (sessionId) => structuredClone(this.#get(sessionId).runs);

  listUnfinishedRuns: Store['listUnfinishedRuns'] = async ({ limit }) => {
    const newest = this.#list.flatMap(({ runs }) => runs.at(-1) ?? []);
    const unfinished = newest.filter(
      ({ endedAt, status }) => endedAt === undefined || status === 'interrupted',
    );
    const sorted = unfinished.toSorted(
      (left, right) => right.startedAt - left.startedAt || (left.runId < right.runId ? 1 : -1),
    );
    return structuredClone(sorted.slice(0, limit));
  };

  appendMessage: Store['appendMessage'] = async (lease, draft, events = []) => {
    const held = this.#held(lease, events);
    this.#refuseKnown(draft.id);
    return { message: held.appendMessage(draft), events: held.appendEvents(events) };
  };

  putPart: Store['putPart'] = async (lease, { messageId, index }, part, events = []) => {
    const held = this.#held(lease, events);
    const { parts } = this.#message(held, messageId);
    const before = parts[index];
    if (before === undefined && index !== parts.length) throw partLeavesHole(messageId, index, parts.length);
    if (before !== undefined && !isOpen(before)) throw partIsClosed(messageId, index);
    parts[index] = structuredClone(part);
    return held.appendEvents(events);
  };

  closeMessage: Store['closeMessage'] = async (lease, messageId, closing, events = []) => {
    const held = this.#held(lease, events);
    const given = Object.entries(closing).filter(([, value]) => value !== undefined);
    Object.assign(this.#message(held, messageId), structuredClone(Object.fromEntries(given)));
    return held.appendEvents(events);
  };

  appendEvents: Store['appendEvents'] = async (lease, events) =>
    this.#held(lease, events).appendEvents(events);

  enqueue: Store['enqueue'] = async (sessionId, message, { maxPending }) => {
    const held = this.#get(sessionId);
    const known = held.queue.find((entry) => entry.message.id === message.id);
    if (known !== undefined) return structuredClone(known.answer);
    const pending = held.waiting.length;
    if (pending >= maxPending) throw queueFull(sessionId, pending, maxPending);
    const position = pending + 1;
    const events = held.appendEvents([{ type: 'message:queued', id: message.id, position }]);
    held.queue.push({ message: structuredClone(message), state: 'waiting', answer: { position, events } });
    return structuredClone({ position, events });
  };

  listQueue: Store['listQueue'] = async (sessionId) =>
    structuredClone(this.#get(sessionId).waiting.map(({ message }) => message));

  editQueued: Store['editQueued'] = async (sessionId, id, content) => {
    const entry = this.#get(sessionId).waiting.find(({ message }) => message.id === id);
    if (entry !== undefined) entry.message.content = structuredClone(content);
    return entry !== undefined;
  };

  removeQueued: Store['removeQueued'] = async (sessionId, id) => {
    const entry = this.#get(sessionId).waiting.find(({ message }) => message.id === id);
    if (entry !== undefined) entry.state = 'removed';
    return entry !== undefined;
  };

  clearQueue: Store['clearQueue'] = async (sessionId) => this.#get(sessionId).clearQueue();

  takeQueue: Store['takeQueue'] = async (lease, build) => {
    const held = this.#held(lease);
    const { waiting } = held;
    if (waiting.length === 0) return undefined;
    const { draft, events } = this.#guarded(() =>
      build(structuredClone(waiting.map(({ message }) => message))),
    );
    assertDurable(events);
    this.#refuseKnown(draft.id);
    for (const entry of waiting) entry.state = 'taken';
    return { message: held.appendMessage(draft), events: held.appendEvents(events) };
  };

  requestApproval: Store['requestApproval'] = async (lease, request) => {
    const held = this.#held(lease);
    const known = held.approvals.find(({ handle }) => handle === request.handle);
    if (known !== undefined) return { approval: structuredClone(known), events: [] };
    const { sessionId } = lease;
    const approval = { ...structuredClone(request), sessionId, requestedAt: this.#now() };
    held.approvals.push(approval);
    return { approval: structuredClone(approval), events: held.appendEvents([requestedEvent(approval)]) };
  };

  answerApproval: Store['answerApproval'] = async (sessionId, callId, answer) => {
    const held = this.#get(sessionId);
    const approval = held.approvals.findLast((candidate) => candidate.callId === callId);
    if (approval === undefined) return undefined;
    const isNew = approval.answeredAt === undefined;
    if (isNew) Object.assign(approval, answer, { answeredAt: this.#now() });
    const events = isNew ? held.appendEvents([answeredEvent(approval)]) : [];
    return { approval: structuredClone(approval), isNew, events };
  };

  listApprovals: Store['listApprovals'] = async (sessionId, { open = false } = {}) =>
    structuredClone(
      this.#get(sessionId).approvals.filter(({ answeredAt }) => !open || answeredAt === undefined),
    );

  recordCompaction: Store['recordCompaction'] = async (
    lease,
    compaction,
    { marks = [], events = [], checkpoint } = {},
  ) => {
    const mark: Mark = { ...compaction, kind: 'compaction', sessionId: lease.sessionId };
    const stored = this.#addMarks(lease, [mark, ...marks], events);
    if (checkpoint !== undefined) this.#get(lease.sessionId).checkpoint = structuredClone(checkpoint);
    return stored;
  };

  loadCheckpoint: Store['loadCheckpoint'] = async (sessionId) =>
    structuredClone(this.#get(sessionId).checkpoint);

  recordMarks: Store['recordMarks'] = async (lease, marks, events = []) =>
    this.#addMarks(lease, marks, events);

  undoMark: Store['undoMark'] = async (sessionId, markId, undoneAt) => {
    const mark = this.#get(sessionId).marks.find(({ id }) => id === markId);
    if (mark === undefined || mark.undoneAt !== undefined) return false;
    mark.undoneAt = undoneAt;
    for (const other of this.#get(sessionId).marks) {
      if ('compactionId' in other && other.compactionId === markId) other.undoneAt ??= undoneAt;
    }
    return true;
  };

  loadLog: Store['loadLog'] = async (sessionId): Promise<SessionLog> => {
    const { session, messages, marks } = this.#get(sessionId);
    return structuredClone({ session, messages, marks, damaged: [] });
  };

  readMessages: Store['readMessages'] = async (sessionId, { after, before, limit }) => {
    const { messages } = this.#get(sessionId);
    const inRange = messages.filter(
      ({ sequence }) => sequence > (after ?? 0) && sequence < (before ?? Number.POSITIVE_INFINITY),
    );
    const start = after === undefined ? Math.max(0, inRange.length - limit) : 0;
    return structuredClone({ messages: inRange.slice(start, start + limit), damaged: [] });
  };

  readMarks: Store['readMarks'] = async (sessionId) =>
    structuredClone({ marks: this.#get(sessionId).marks, damaged: [] });

  loadView: Store['loadView'] = async (sessionId): Promise<SessionView> => {
    const { session, messages, marks } = this.#get(sessionId);
    const hidden = hiddenIds(marks);
    const unloaded = new Set(messages.flatMap(({ id }) => (hidden.has(id) ? [id] : [])));
    const shown = messages.map((message) => (unloaded.has(message.id) ? { ...message, parts: [] } : message));
    const needed = shownMarks(marks, hidden);
    return structuredClone({ session, messages: shown, marks: needed, damaged: [], unloaded });
  };

  lastEventNumber: Store['lastEventNumber'] = async (sessionId) => this.#get(sessionId).events.length;

  readEvents: Store['readEvents'] = async (sessionId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) =>
    structuredClone(this.#get(sessionId).events.slice(after, after + limit));

  search: Store['search'] = async (terms, { sessionId, limit = 20 } = {}) => {
    const sessions = this.#list.filter(({ session }) => sessionId === undefined || session.id === sessionId);
    return searchMessages(
      sessions.flatMap(({ messages }) => messages),
      terms,
      limit,
    );
  };

  getSetting: Store['getSetting'] = async (key) => structuredClone(this.#settings.get(key));

  putSetting: Store['putSetting'] = async (key, value) => {
    if (value === undefined) this.#settings.delete(key);
    else this.#settings.set(key, structuredClone(value));
  };

  watch: Store['watch'] = (listener) => this.#watchers.add(listener);

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watchers.clear();
    this.#sessions = undefined;
  }

  get #all(): Map<string, MemorySession> {
    if (this.#sessions === undefined) throw storeClosed();
    return this.#sessions;
  }

  get #list(): MemorySession[] {
    return [...this.#all.values()];
  }

  #get(sessionId: string): MemorySession {
    const held = this.#all.get(sessionId);
    if (held === undefined) throw sessionNotFound(sessionId);
    return held;
  }

  /** With a claimant, only a holder that must be left alone. */
  #holder({ holder }: MemorySession, claimant?: Claimant): LeaseHolder | undefined {
    if (holder === undefined) return undefined;
    if (claimant !== undefined && !isHeld(holder, claimant, this.#clock)) return undefined;
    const { expiresUptime: _uptime, ...told } = holder;
    return told;
  }

  #held(lease: Lease, events: Parameters<Store['appendEvents']>[1] = []): MemorySession {
    const held = this.#get(lease.sessionId);
    held.check(lease, events);
    return held;
  }

  #message(held: MemorySession, messageId: string): Message {
    const message = held.messages.find(({ id }) => id === messageId);
    if (message === undefined) throw messageNotInSession(messageId, held.session.id);
    return message;
  }

  #refuseKnown(messageId: string): void {
    const isKnown = this.#list.some(({ messages }) => messages.some(({ id }) => id === messageId));
    if (isKnown) throw idTaken('message', messageId);
  }

  #addMarks(
    lease: Lease,
    marks: readonly Mark[],
    events: Parameters<Store['appendEvents']>[1],
  ): LonghaulEvent[] {
    const held = this.#held(lease, events);
    const ids = new Set(this.#list.flatMap((session) => session.marks.map(({ id }) => id)));
    for (const { id } of marks) {
      if (ids.has(id)) throw idTaken('mark', id);
      ids.add(id);
    }
    held.marks.push(...structuredClone([...marks]));
    return held.appendEvents(events);
  }

  #guarded<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      throw toLonghaulError(error);
    }
  }
}
