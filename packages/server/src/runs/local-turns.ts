import type { Store } from '@longhaul/core';
import { accessOf, priorityOf, type Session, toLonghaulError } from '@longhaul/protocol';
import { mayContinue } from './left-sessions.ts';
import type { Claim, WaitingRuns } from './waiting-runs.ts';

export interface LocalTurnsOptions {
  waiting: WaitingRuns;
  store: Store;
  /** Starts a run, and gives the place back at its end. Returns its id, or undefined if there is nothing to do. */
  begin: (sessionId: string, place: Disposable) => Promise<string | undefined>;
  /** Whether this server refuses new runs. */
  isClosed: () => boolean;
  onFailure: (sessionId: string, error: unknown) => void;
}

/** Starts runs on this server, each when it has a place. */
export class LocalTurns {
  readonly #options: LocalTurnsOptions;
  /** Sessions that a run starts in as soon as they get a place. */
  readonly #starting = new Set<string>();

  constructor(options: LocalTurnsOptions) {
    this.#options = options;
  }

  /**
   * Starts a run, or waits for a place in the background and starts it then.
   *
   * @returns The id of the run. Undefined if it waits, or if there is nothing to do.
   */
  async start(session: Session): Promise<string | undefined> {
    const { waiting, begin } = this.#options;
    const claim = claimOf(session);
    const place = waiting.tryTake(claim);
    if (place !== undefined) return await begin(session.id, place);
    this.#startInTurn(claim);
    return undefined;
  }

  /** Whether a run of the session waits for a place. */
  has(sessionId: string): boolean {
    return this.#starting.has(sessionId);
  }

  /**
   * Waits for a place for a run that the caller starts.
   *
   * @throws {LonghaulError} `cancelled` if the session is cancelled or the signal aborts.
   */
  async place(session: Session, signal?: AbortSignal): Promise<Disposable> {
    return await this.#options.waiting.wait(claimOf(session), signal);
  }

  /** Gives up the turn of a session without messages. An interrupted run needs its turn. */
  leaveIfIdle(sessionId: string): void {
    if (!this.#starting.has(sessionId)) return;
    const { store, waiting, onFailure } = this.#options;
    mayContinue(store, sessionId).then(
      (isNeeded) => isNeeded || waiting.giveUp(sessionId),
      (error: unknown) => onFailure(sessionId, error),
    );
  }

  #startInTurn(claim: Claim): void {
    const { sessionId } = claim;
    if (this.#starting.has(sessionId)) return;
    const { waiting, begin, isClosed, onFailure } = this.#options;
    this.#starting.add(sessionId);
    waiting
      .wait(claim)
      .finally(() => this.#starting.delete(sessionId))
      .then(async (place) => {
        if (isClosed()) place[Symbol.dispose]();
        else await begin(sessionId, place);
      })
      .catch((error: unknown) => {
        if (toLonghaulError(error).code !== 'cancelled') onFailure(sessionId, error);
      });
  }
}

function claimOf(session: Session): Claim {
  return { sessionId: session.id, owner: accessOf(session).owner, priority: priorityOf(session) };
}
