import { type EventPayload, type Session, toLonghaulError, ZERO_USAGE } from '@longhaul/protocol';
import type {
  DriverFor,
  FinishRunOptions,
  Lease,
  ModelDriver,
  SessionLog,
  Store,
} from '../../ports/index.ts';
import type { EventFollower } from '../events/event-follower.ts';
import type { EventHub } from '../events/event-hub.ts';
import { newId } from '../ids.ts';
import { holdIdle, keepLease } from '../leases/idle-lease.ts';
import { currentClaimant } from '../leases/lease-owner.ts';
import { takeSession } from '../leases/take-session.ts';
import { existingSession } from '../session-errors.ts';
import { SessionWriter } from '../session-writer.ts';
import { type CancelRequest, type CancelResult, cancelSession } from './cancel-session.ts';
import type { ProcessEnder } from './end-left-processes.ts';
import { asTakenOver, interrupted, interruptionOf, takenOver } from './interruption.ts';
import { modelSwitch } from './model-switch.ts';
import { openedDriver } from './opened-driver.ts';
import { repairSession } from './repair.ts';
import { type ActiveRun, RunRegistry } from './run-registry.ts';
import { type ExecutorResult, sessionStatusAfter } from './run-result.ts';
import { continueFrom } from './turn-state.ts';

/** The parts of a run that holds its session. */
export interface RunWork {
  session: Session;
  driver: ModelDriver;
  writer: SessionWriter;
  signal: AbortSignal;
  drain: AbortSignal;
}

export interface SessionRunsOptions {
  store: Store;
  hub: EventHub;
  follower: EventFollower;
  driverFor: DriverFor;
  /** Called before a run starts. Returns events to emit after `run:started`. */
  prepareRun?: ((session: Session) => Promise<readonly EventPayload[]>) | undefined;
  /** Executes the run and stores its end. */
  execute: (work: RunWork) => Promise<ExecutorResult>;
  /** Finishes a revert whose process was killed. Called when a run starts, before the log is read. */
  finishRevert: (writer: SessionWriter, session: Session) => Promise<void>;
  /** Ends what earlier runs have started. */
  ender: ProcessEnder;
  /** Returns whether a call of a tool of the session can be run again. See `Tool.isRepeatable`. */
  isRepeatableFor: (session: Session) => (toolName: string) => boolean;
}

export interface StartOptions {
  signal?: AbortSignal | undefined;
  /**
   * Called with the session held and repaired. If false, the session is released without a run. Default: always run.
   */
  isWanted?: (log: SessionLog) => boolean | Promise<boolean>;
}

/** Starts runs of sessions, and cancels them in this and other processes. */
export class SessionRuns {
  readonly registry: RunRegistry;
  readonly #options: SessionRunsOptions;
  readonly #stopping = new AbortController();

  constructor(options: SessionRunsOptions) {
    this.#options = options;
    this.registry = new RunRegistry(options.store);
  }

  /**
   * Takes and repairs the session, runs it until it is idle, and releases it. Waits for work between runs of any
   * process.
   *
   * @returns Undefined if `isWanted` returned false.
   * @throws {LonghaulError} `session_not_found`; `session_busy`; `interrupted` while the program stops; errors of
   * driver and store.
   */
  async start(sessionId: string, options: StartOptions = {}): Promise<ExecutorResult | undefined> {
    const { store, follower, prepareRun } = this.#options;
    this.#stopping.signal.throwIfAborted();
    const session = await this.existing(sessionId);
    // A dead run of the parent may have left commands of this session running.
    if (session.parentId !== undefined) await this.#settleParent(session.parentId);
    await this.registry.unstoredEnds.store(sessionId);
    const notices = (await prepareRun?.(session)) ?? [];
    const lease = await takeSession(store, sessionId, {
      runId: newId(),
      patienceMs: Number.POSITIVE_INFINITY,
      signal: anyOf(this.#stopping.signal, options.signal),
    });
    await using active = this.registry.begin(lease, options.signal);
    if (this.#stopping.signal.aborted) active.interrupt(interrupted());
    await using _renewal = keepLease(store, lease, () => active.interrupt(takenOver()));
    await using _follow = await follower.follow(sessionId);
    return await this.#drive({ session, notices, lease, active }, options);
  }

  /** See `Runtime.announce`. */
  async announce(sessionId: string, events: readonly EventPayload[]): Promise<boolean> {
    const { store, hub } = this.#options;
    const session = await this.existing(sessionId);
    try {
      await holdIdle({ store, hub, session, runs: this.registry }, (writer) => writer.announce(...events));
      return true;
    } catch (error) {
      if (toLonghaulError(error).code !== 'session_busy') throw error;
      return false;
    }
  }

  /** See `Runtime.cancel`. */
  async cancel(sessionId: string, options: CancelRequest): Promise<CancelResult> {
    const { store } = this.#options;
    await this.existing(sessionId);
    return cancelSession(sessionId, {
      ...options,
      store,
      registry: this.registry,
      settle: () => this.settle(sessionId),
    });
  }

  /** Repairs the session if a dead process holds it. Does nothing if another process is faster. */
  async settle(sessionId: string): Promise<void> {
    const { store, hub } = this.#options;
    if ((await store.leaseHolder(sessionId)) === undefined) return;
    const session = await this.existing(sessionId);
    try {
      await holdIdle({ store, hub, session, runs: this.registry, patienceMs: 0 }, (writer) =>
        this.#repair(writer, session),
      );
    } catch (error) {
      if (toLonghaulError(error).code !== 'session_busy') throw error;
    }
  }

  /**
   * Closes everything that dead runs have left open in a session that nobody continues. Does nothing while a living
   * process works on it.
   */
  async abandon(sessionId: string): Promise<void> {
    const { store, hub } = this.#options;
    const session = await this.existing(sessionId);
    try {
      await holdIdle({ store, hub, session, runs: this.registry, patienceMs: 0 }, (writer) =>
        this.#repair(writer, session, { isAbandoned: true }),
      );
    } catch (error) {
      if (toLonghaulError(error).code !== 'session_busy') throw error;
    }
  }

  /** Refuses new runs and ends the active ones: each after its current step, or at once after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort(interrupted());
    await this.registry.stop(graceMs);
  }

  async #settleParent(parentId: string): Promise<void> {
    const { store } = this.#options;
    const isDead = (await store.leaseHolder(parentId, currentClaimant())) === undefined;
    if (isDead && (await store.getSession(parentId)) !== undefined) await this.settle(parentId);
  }

  #repair(writer: SessionWriter, session: Session, options?: { isAbandoned: boolean }): Promise<unknown> {
    const { store, ender, isRepeatableFor } = this.#options;
    const isRepeatable = isRepeatableFor(session);
    return repairSession(writer, store, { now: Date.now(), ender, isRepeatable, ...options });
  }

  existing(sessionId: string): Promise<Session> {
    return existingSession(this.#options.store, sessionId);
  }

  async #drive(
    run: {
      session: Session;
      notices: readonly EventPayload[];
      lease: Lease;
      active: ActiveRun;
    },
    { isWanted }: StartOptions,
  ): Promise<ExecutorResult | undefined> {
    const { store, hub, execute, finishRevert, driverFor } = this.#options;
    const { session, notices, lease, active } = run;
    const log = await this.#load(run);
    const writer = new SessionWriter({ store, lease, hub, log });
    try {
      await this.#repair(writer, session);
      await finishRevert(writer, session);
      if (isWanted !== undefined && !(await isWanted(log))) {
        await this.#release(writer, session);
        return undefined;
      }
      const { driver, problem } = await openedDriver(session.model, { driverFor, active });
      if (driver === undefined) {
        await this.#release(writer, session);
        throw problem;
      }
      const { task, model } = session;
      const switched = modelSwitch(log.messages, { model, driver });
      await writer.announce(
        { type: 'run:started', runId: lease.runId, task, model },
        ...switched,
        ...notices,
      );
      await reportDamage(writer, log);
      await continueFrom(writer, (await store.listQueue(session.id)).length > 0);
      // What earlier runs have stored there can be newer than the session that was loaded before the run had it.
      const current = { ...session, metadata: log.session.metadata };
      return await execute({ session: current, driver, writer, signal: active.signal, drain: active.drain });
    } catch (error) {
      await failRun(writer, active, error);
      throw interruptionOf(active.signal) ?? asTakenOver(error);
    } finally {
      this.registry.unstoredEnds.keep(writer);
    }
  }

  /** Loads the log. If that fails, stores the end of the run. */
  async #load({
    session,
    lease,
    active,
  }: {
    session: Session;
    lease: Lease;
    active: ActiveRun;
  }): Promise<SessionLog> {
    const { store, hub } = this.#options;
    try {
      return await store.loadView(session.id, { collapse: true });
    } catch (error) {
      const empty = { session, messages: [], marks: [], damaged: [] };
      const writer = new SessionWriter({ store, lease, hub, log: empty });
      await failRun(writer, active, error);
      this.registry.unstoredEnds.keep(writer);
      throw error;
    }
  }

  async #release(writer: SessionWriter, session: Session): Promise<void> {
    const end = { status: 'completed', sessionStatus: session.status, onlyIfQueueEmpty: false } as const;
    await writer.finishRun({ ...end, events: [] });
  }
}

function anyOf(signal: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? signal : AbortSignal.any([signal, other]);
}

async function reportDamage(writer: SessionWriter, { damaged }: SessionLog): Promise<void> {
  if (damaged.length === 0) return;
  const warnings = damaged.map<EventPayload>(({ table, id, handle, reason }) => ({
    type: 'context:warning',
    message: `${handle ?? `${table} ${id}`} is damaged on disk: ${reason}. The run continues without it.`,
  }));
  await writer.announce(...warnings);
}

/** Stores and emits the end of a run that could not be executed. */
async function failRun(writer: SessionWriter, { signal }: ActiveRun, thrown: unknown): Promise<void> {
  const error = interruptionOf(signal) ?? asTakenOver(thrown);
  const { code } = error;
  const status = code === 'cancelled' || code === 'interrupted' ? code : 'failed';
  const finished: EventPayload = {
    type: 'run:finished',
    runId: writer.lease.runId,
    status,
    stepCount: 0,
    usage: ZERO_USAGE,
    text: '',
    error: error.toShape(),
    compactions: 0,
  };
  const end: FinishRunOptions = {
    status,
    sessionStatus: sessionStatusAfter(status),
    onlyIfQueueEmpty: false,
    events: [finished, { type: 'session:status', status: 'idle' }],
  };
  try {
    await writer.finishRun(end);
  } catch {
    // The store has failed. The caller gets the first error; listeners get the event before it is stored.
    writer.leaveUnstored(end);
  }
}
