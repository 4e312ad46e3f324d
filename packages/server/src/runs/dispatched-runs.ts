import {
  currentClaimant,
  type Dispatcher,
  type DriveOutcome,
  drivingRun,
  type Runtime,
  type Store,
} from '@longhaul/core';
import { LonghaulError, type Session, toLonghaulError } from '@longhaul/protocol';
import type { Logger } from 'pino';
import { mayContinue } from './left-sessions.ts';
import { SharedPositions } from './shared-positions.ts';

export interface DispatchedRunsOptions {
  dispatcher: Dispatcher;
  runtime: Runtime;
  store: Store;
  log: Logger;
}

/** How long the start of a run is waited for, to return its id. */
const START_MS = 1_000;

/** Lets the servers of a database drive its sessions, whichever of them was asked. */
export class DispatchedRuns {
  readonly #options: DispatchedRunsOptions;
  readonly #positions: SharedPositions;
  #isStopping = false;

  constructor(options: DispatchedRunsOptions) {
    this.#options = options;
    this.#positions = new SharedPositions(options.dispatcher);
  }

  /** The position of a session that waits for a place. Undefined: it does not wait. */
  async positionOf(sessionId: string): Promise<{ position: number } | undefined> {
    return await this.#positions.of(sessionId);
  }

  /**
   * Asks for a run, and waits a moment for its start.
   *
   * @returns The id of the run. Undefined: it has not started yet.
   */
  async start(session: Session): Promise<string | undefined> {
    const { store } = this.#options;
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), START_MS);
    const { promise: started, resolve: start } = Promise.withResolvers<string>();
    const look = () =>
      void drivingRun(store, session.id).then(
        (run) => run !== undefined && start(run.runId),
        // The request is stored. What is wrong with the store is reported by the next request.
        () => undefined,
      );
    const unsubscribe = this.#options.runtime.subscribe((event) => {
      if (event.type === 'run:started' && event.sessionId === session.id) start(event.runId);
    });
    using _watch = store.watch(look);
    try {
      await this.request(session);
      return await Promise.race([started, late]);
    } finally {
      clearTimeout(timer);
      unsubscribe();
    }
  }

  /** Asks for a run without waiting. */
  async request(session: Session): Promise<void> {
    await this.#options.dispatcher.request(session);
  }

  /** Applies the priority of a session that was changed, if it waits. */
  async prioritise(session: Session): Promise<void> {
    await this.#options.dispatcher.prioritise(session);
  }

  /** Withdraws what no server has begun. Returns whether there was something. */
  async giveUp(session: Session): Promise<boolean> {
    return await this.#options.dispatcher.withdraw(session);
  }

  async isRequested(session: Session): Promise<boolean> {
    return await this.#options.dispatcher.isRequested(session);
  }

  /** Drives sessions from now on, also those that other servers are asked for. */
  async take(): Promise<void> {
    await this.#options.dispatcher.take((sessionId, { isRepeated }) => this.#drive(sessionId, isRepeated));
  }

  /** Gives the place of a session to others for a while. */
  pause(sessionId: string): void {
    this.#options.dispatcher.pause(sessionId);
  }

  resume(sessionId: string): void {
    this.#options.dispatcher.resume(sessionId);
  }

  /** Drives no further sessions. Those that are driven go to other servers when their runs end. */
  async leave(): Promise<void> {
    this.#isStopping = true;
    await this.#options.dispatcher.leave();
  }

  async #drive(sessionId: string, isRepeated: boolean): Promise<DriveOutcome> {
    const { log } = this.#options;
    if (this.#isStopping) return 'left';
    try {
      const error = isRepeated ? await this.#continue(sessionId) : await this.#resume(sessionId);
      if (error === undefined) return 'done';
      throw error;
    } catch (thrown) {
      const error = toLonghaulError(thrown);
      const outcome = outcomeOf(error);
      if (outcome === 'blocked')
        log.warn({ sessionId, err: error }, 'the session cannot be continued here now');
      if (outcome === 'done') log.debug({ sessionId, err: error }, 'run failed');
      return outcome;
    }
  }

  /** Continues what a process left that had taken the session. Returns the error with which the run ended. */
  async #continue(sessionId: string): Promise<LonghaulError | undefined> {
    const { store, log } = this.#options;
    const holder = await store.leaseHolder(sessionId, currentClaimant());
    if (holder !== undefined) throw heldElsewhere(sessionId);
    // A run that a person has cancelled is not continued because its process died.
    if (!(await mayContinue(store, sessionId))) return undefined;
    log.info({ sessionId }, 'continuing a session that another process has left');
    return await this.#resume(sessionId);
  }

  async #resume(sessionId: string): Promise<LonghaulError | undefined> {
    const result = await this.#options.runtime.resume(sessionId);
    return 'error' in result ? result.error : undefined;
  }
}

function heldElsewhere(sessionId: string): LonghaulError {
  return new LonghaulError('session_busy', `Another process works on the session ${sessionId}.`);
}

/** @throws {LonghaulError} The error, if the store has failed: the drive must be repeated. */
function outcomeOf(error: LonghaulError): DriveOutcome {
  if (error.code === 'session_busy') return 'held';
  // The process stops, or has lost the session to another one, which may die in turn.
  if (error.code === 'interrupted' || error.code === 'lease_lost') return 'left';
  if (error.code === 'store_newer') return 'left';
  if (error.code === 'processes_left') return 'blocked';
  if (error.code === 'store_unavailable') throw error;
  return 'done';
}
