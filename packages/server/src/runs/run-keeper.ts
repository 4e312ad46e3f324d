import type { Runtime, Store } from '@longhaul/core';
import { currentClaimant, drivingRun, newId, queuedText } from '@longhaul/core';
import type { CacheStore } from '@longhaul/models';
import {
  compactionOfMessage,
  type EventOf,
  LonghaulError,
  type LonghaulEvent,
  priorityOf,
  type Session,
  toLonghaulError,
  type UserMessageContentPart,
} from '@longhaul/protocol';
import type { Logger } from 'pino';
import type { ServerMetrics } from '../metrics.ts';
import type { ModelDirectory } from '../server-options.ts';
import { ActiveRuns } from './active-runs.ts';
import { AdoptedSessions } from './adopted-sessions.ts';
import { ApprovalPauses } from './approval-pauses.ts';
import type { DispatchedRuns } from './dispatched-runs.ts';
import { LocalTurns } from './local-turns.ts';
import { PreparedModels } from './prepared-models.ts';
import { type SentAnswer, SentAnswers } from './sent-answers.ts';
import { WaitingRuns } from './waiting-runs.ts';

export interface RunKeeperOptions {
  runtime: Runtime;
  store: Store;
  models: ModelDirectory;
  /** Stores the responses to messages that had an id. */
  answers: CacheStore;
  /** Runs at the same time, without those of child sessions. Null: no limit. */
  maxRuns: number | null;
  /** Gets the sessions with work. Absent: this server drives the sessions that it is asked for. */
  dispatched?: DispatchedRuns | undefined;
  metrics: ServerMetrics;
  log: Logger;
}

export interface SentMessage extends NonNullable<Parameters<Runtime['queue']['enqueue']>[2]> {
  content: readonly UserMessageContentPart[];
}

const REFUSALS = {
  stopping: 'The server is stopping and refuses new runs. Retry after it has restarted.',
  outdated:
    'The server is older than the tables of its database and refuses new runs. Retry with another server, and update this one.',
};

/** Starts runs in the background and tracks the active runs. */
export class RunKeeper implements Disposable {
  readonly #options: RunKeeperOptions;
  readonly #answers: SentAnswers;
  readonly #active: ActiveRuns;
  /** Ids of messages that `send` is storing: it starts their runs itself. */
  readonly #sending = new Set<string>();
  readonly #adopted: AdoptedSessions;
  /** The sessions that wait for a place. */
  readonly waiting: WaitingRuns;
  readonly #pauses: ApprovalPauses;
  readonly #turns: LocalTurns;
  readonly #prepared: PreparedModels;
  readonly #unsubscribe: () => void;
  /** Why new runs are refused. */
  #refusal: 'stopping' | 'outdated' | undefined;

  constructor(options: RunKeeperOptions) {
    this.#options = options;
    this.#answers = new SentAnswers(options.answers);
    const { store, log, maxRuns, runtime, models } = options;
    this.#prepared = new PreparedModels(models);
    this.waiting = new WaitingRuns({
      maxRuns,
      report: (id, position) => runtime.reportWaiting(id, position),
    });
    this.#turns = new LocalTurns({
      waiting: this.waiting,
      store,
      begin: (id, place) => this.#begin(id, place),
      isClosed: () => this.#refusal !== undefined,
      onFailure: (id, error) => this.#warn(id, error),
    });
    this.#active = new ActiveRuns(options);
    this.#pauses = new ApprovalPauses(options.dispatched ?? this.waiting);
    this.#adopted = new AdoptedSessions({ store, log, start: (sessionId) => this.start(sessionId) });
    this.#unsubscribe = runtime.subscribe((event) => this.#receive(event));
  }

  get activeCount(): number {
    return this.#active.count;
  }

  /** Null: no limit. */
  get maxRuns(): number | null {
    return this.#options.maxRuns;
  }

  get isStopping(): boolean {
    return this.#refusal === 'stopping';
  }

  /**
   * Stores a message, and starts a run if no run drives the session. A message with a known id gets the first response
   * again.
   *
   * While the server stops, a message to a session with a run is queued: the run takes it, or the next process does.
   *
   * @throws {LonghaulError} `session_not_found`, `queue_full`, `shutting_down`, `budget_exceeded`, or a problem with the model. In these
   * cases nothing is stored.
   */
  async send(sessionId: string, message: SentMessage): Promise<SentAnswer> {
    if (this.#refusal !== undefined && !(await this.isDriven(sessionId))) this.assertOpen();
    const session = await this.existing(sessionId);
    if (message.id === undefined) return await this.#send(session, message);
    return await this.#answers.once({ sessionId, id: message.id }, () => this.#send(session, message));
  }

  async #send(session: Session, { content, ...options }: SentMessage): Promise<SentAnswer> {
    const { id: sessionId, model } = session;
    const { runtime, store } = this.#options;
    // Only a user's words are commands.
    const typed = options.origin === undefined ? compactionOfMessage(content) : undefined;
    if (typed !== undefined) {
      const focus = typed.focus === undefined ? {} : { focus: typed.focus };
      const compaction = await runtime.compact(sessionId, focus);
      return { ok: true, queued: false, id: options.id ?? newId(), compaction };
    }
    await runtime.spending.assertLeft(session);
    if (!(await this.isDriven(sessionId))) await this.#prepared.prepare(sessionId, model);
    const id = options.id ?? newId();
    this.#sending.add(id);
    const queued = await runtime.queue
      .enqueue(sessionId, content, { ...options, id })
      .finally(() => this.#sending.delete(id));
    const position = Math.max(1, queued.position);
    const answer = {
      ok: true,
      queued: true,
      id: queued.id,
      position,
      message: queuedText(position),
    } as const;
    // Checked after the message is stored: a run that ended without seeing the message has released the session by now.
    const waits = (await store.listQueue(sessionId)).some((message) => message.id === queued.id);
    if (!waits) return answer;
    if (this.#refusal !== undefined || (await this.isDriven(sessionId))) {
      await this.#options.dispatched?.request(session);
      return answer;
    }
    if (await this.isHeld(sessionId)) {
      this.#startLater(sessionId);
      return answer;
    }
    const runId = await this.start(sessionId);
    return runId === undefined
      ? { ...answer, waiting: await this.positionOf(sessionId) }
      : { ok: true, queued: false, id: queued.id, runId };
  }

  /**
   * Resumes the session in the background: an interrupted run, or the messages in the queue.
   *
   * @returns The id of the run. Undefined if there is nothing to do, another process drives the session, or the session
   * waits for a place (`positionOf`).
   * @throws {LonghaulError} The reason why no run starts, except `session_busy`.
   */
  async start(sessionId: string): Promise<string | undefined> {
    this.assertOpen();
    const session = await this.#options.store.getSession(sessionId);
    if (session !== undefined && this.#options.dispatched !== undefined)
      return await this.#options.dispatched.start(session);
    // A child works in the place of its parent, which may be waiting for it.
    if (session === undefined || session.parentId !== undefined) return await this.#begin(sessionId);
    return await this.#turns.start(session);
  }

  /** The position of a session that waits for a place. Undefined: it does not wait. */
  async positionOf(sessionId: string): Promise<{ position: number } | undefined> {
    const { dispatched } = this.#options;
    return dispatched === undefined ? this.waiting.of(sessionId) : await dispatched.positionOf(sessionId);
  }

  /** Applies the priority of a session that was changed, if it waits. */
  async prioritise(session: Session): Promise<void> {
    const { dispatched } = this.#options;
    if (dispatched === undefined) this.waiting.prioritise(session.id, priorityOf(session));
    else await dispatched.prioritise(session);
  }

  /**
   * Gives up the turn of a session. Its messages stay in the queue, and those that wait for its model are refused.
   * Returns whether it waited.
   */
  async giveUp(sessionId: string): Promise<boolean> {
    const { dispatched } = this.#options;
    const isPreparing = this.#prepared.giveUp(sessionId);
    const wasWaiting =
      dispatched === undefined
        ? this.waiting.giveUp(sessionId)
        : await dispatched.giveUp(await this.existing(sessionId));
    return wasWaiting || isPreparing;
  }

  /**
   * Waits for a place for a run that the caller starts.
   *
   * @throws {LonghaulError} `cancelled` if the session is cancelled or the signal aborts; `shutting_down`.
   */
  async place(sessionId: string, signal?: AbortSignal): Promise<Disposable> {
    this.assertOpen();
    const session = await this.existing(sessionId);
    // The server that drives the session has the place.
    if (this.#options.dispatched !== undefined) return { [Symbol.dispose]() {} };
    const place = await this.#turns.place(session, signal).catch((error: unknown) => {
      this.assertOpen();
      throw error;
    });
    if (this.#refusal !== undefined) place[Symbol.dispose]();
    this.assertOpen();
    return place;
  }

  async #begin(sessionId: string, place?: Disposable): Promise<string | undefined> {
    using started = this.#active.next(sessionId);
    const ended = this.#options.runtime
      .resume(sessionId)
      .finally(() => place?.[Symbol.dispose]())
      .then(
        () => undefined,
        (error: unknown) => {
          const failure = toLonghaulError(error);
          if (failure.code === 'session_busy') return undefined;
          throw failure;
        },
      );
    // The caller gets the start or its failure below. The run's own end reports later failures.
    ended.catch((error: unknown) => this.#options.log.debug({ sessionId, err: error }, 'run failed'));
    return await Promise.race([started.runId, ended]);
  }

  /**
   * Starts a run after a compaction that holds the session. Not awaited, because the compaction may wait for a model.
   */
  #startLater(sessionId: string): void {
    this.start(sessionId).catch((error: unknown) => this.#warn(sessionId, error));
  }

  #warn(sessionId: string, error: unknown): void {
    this.#options.log.warn({ sessionId, err: error }, 'starting a run failed');
  }

  /** Refuses all new runs from now on. */
  refuseNew(reason: 'stopping' | 'outdated'): void {
    this.#refusal = reason;
    this.waiting.giveUpAll();
    this.#prepared.giveUpAll();
    this.#adopted[Symbol.dispose]();
  }

  /**
   * Whether a run drives the session and will deliver its messages. If it is a run of another process, its messages are
   * delivered here if that process ends.
   */
  async isDriven(sessionId: string): Promise<boolean> {
    const { runtime, store } = this.#options;
    // The end of a run here may still have to be stored.
    await runtime.storeEnd(sessionId);
    const run = await drivingRun(store, sessionId);
    if (run !== undefined && !this.#active.has(run.runId))
      this.adopt(sessionId).catch((error: unknown) => this.#warn(sessionId, error));
    return run !== undefined;
  }

  /** Continues what another process leaves in the session. */
  async adopt(sessionId: string): Promise<void> {
    const { dispatched, store } = this.#options;
    if (dispatched === undefined) this.#adopted.add(sessionId);
    else {
      const session = await store.getSession(sessionId);
      if (session !== undefined) await dispatched.request(session);
    }
  }

  /** Whether a run or another operation, such as a compaction, holds the session's lease, or a run waits for a place. */
  async isHeld(sessionId: string): Promise<boolean> {
    if (this.#turns.has(sessionId)) return true;
    const { dispatched } = this.#options;
    if (dispatched !== undefined && (await dispatched.isRequested(await this.existing(sessionId))))
      return true;
    return (await this.#options.store.leaseHolder(sessionId, currentClaimant())) !== undefined;
  }

  async existing(sessionId: string) {
    const session = await this.#options.store.getSession(sessionId);
    if (session !== undefined) return session;
    throw new LonghaulError('session_not_found', `There is no session ${sessionId.slice(0, 100)}.`);
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }

  /** @throws {LonghaulError} `shutting_down` */
  assertOpen(): void {
    if (this.#refusal === undefined) return;
    throw new LonghaulError('shutting_down', REFUSALS[this.#refusal]);
  }

  #receive(event: LonghaulEvent): void {
    this.#active.receive(event);
    this.#pauses.receive(event);
    if (event.type === 'queue:changed' && event.count === 0) this.#turns.leaveIfIdle(event.sessionId);
    if (event.type === 'message:queued' && event.origin?.kind === 'session') this.#wake(event);
  }

  /** Starts a run for a message that another session of this server has sent. The API starts its own. */
  #wake({ sessionId, id }: EventOf<'message:queued'>): void {
    if (this.#refusal !== undefined || this.#sending.has(id)) return;
    this.isDriven(sessionId).then(
      (isDriven) => isDriven || this.#startLater(sessionId),
      (error: unknown) => this.#warn(sessionId, error),
    );
  }
}
