import { LonghaulError, type Priority } from '@longhaul/protocol';
import { type RunPlace, RunPlaces } from './run-places.ts';
import { SessionWaits } from './session-waits.ts';

/** A session that wants a place, and whose places it uses. */
export interface Claim {
  sessionId: string;
  owner: string;
  /** Default: `normal`. */
  priority?: Priority;
}

export interface WaitingRunsOptions {
  /** Runs at the same time. Null: no limit. */
  maxRuns: number | null;
  /** Gets each change of a position. Undefined: the session has given its turn up. */
  report: (sessionId: string, position: number | undefined) => void;
}

/** The sessions that wait for a place, and their positions. */
export class WaitingRuns {
  readonly #places: RunPlaces;
  readonly #report: WaitingRunsOptions['report'];
  /** Places of runs, by session. */
  readonly #held = new Map<string, Set<RunPlace>>();
  /** Give up the turns of each session. */
  readonly #turns = new SessionWaits();
  #positions: ReadonlyMap<string, number> = new Map();
  /** Positions as they were reported last. */
  #reported: ReadonlyMap<string, number> = new Map();
  /** Sessions that gave a turn up since then. */
  readonly #givenUp = new Set<string>();
  #isReporting = false;

  constructor({ maxRuns, report }: WaitingRunsOptions) {
    this.#report = report;
    this.#places = new RunPlaces(maxRuns, () => this.#onChange());
  }

  get count(): number {
    return this.#places.waitingCount;
  }

  /** The position of a session. Undefined: it does not wait. */
  of(sessionId: string): { position: number } | undefined {
    const position = this.#positions.get(sessionId);
    return position === undefined ? undefined : { position };
  }

  /** Changes the priority of a session that waits. */
  prioritise(sessionId: string, priority: Priority): void {
    this.#places.prioritise(sessionId, priority);
  }

  /** Takes a place, or returns undefined if all are in use. */
  tryTake(claim: Claim): Disposable | undefined {
    const place = this.#places.tryTake(claim.owner);
    return place && this.#hold(claim, place);
  }

  /** Gives the places of a session to others for a while. */
  pause(sessionId: string): void {
    for (const place of this.#held.get(sessionId) ?? []) place.pause();
  }

  /** Takes the places of a session again, even if there are none. */
  resume(sessionId: string): void {
    for (const place of this.#held.get(sessionId) ?? []) place.resume();
  }

  /** Waits for a place. @throws {LonghaulError} `cancelled` if the turn was given up, or the signal aborts. */
  async wait(claim: Claim, signal?: AbortSignal): Promise<Disposable> {
    const take = async (given: AbortSignal) => {
      const place = await this.#places.wait(claim, given);
      if (place !== undefined) return this.#hold(claim, place);
      this.#givenUp.add(claim.sessionId);
      throw new LonghaulError('cancelled', 'The run was cancelled while it waited for a place.');
    };
    return await this.#turns.during(claim.sessionId, take, signal);
  }

  /** Gives up the turns of a session. Its messages stay in the queue. Returns whether it waited. */
  giveUp(sessionId: string): boolean {
    return this.#turns.giveUp(sessionId);
  }

  giveUpAll(): void {
    this.#turns.giveUpAll();
  }

  #hold({ sessionId }: Claim, place: RunPlace): Disposable {
    const held = this.#held.get(sessionId) ?? new Set();
    this.#held.set(sessionId, held.add(place));
    return {
      [Symbol.dispose]: () => {
        held.delete(place);
        if (held.size === 0 && this.#held.get(sessionId) === held) this.#held.delete(sessionId);
        place[Symbol.dispose]();
      },
    };
  }

  #onChange(): void {
    const positions = new Map<string, number>();
    for (const [index, sessionId] of this.#places.order().entries()) {
      if (!positions.has(sessionId)) positions.set(sessionId, index + 1);
    }
    this.#positions = positions;
    if (this.#isReporting) return;
    this.#isReporting = true;
    // Many places can become free at once.
    setImmediate(() => this.#reportChanges());
  }

  #reportChanges(): void {
    this.#isReporting = false;
    const [before, now] = [this.#reported, this.#positions];
    this.#reported = now;
    for (const sessionId of new Set([...before.keys(), ...now.keys()])) {
      const position = now.get(sessionId);
      // The start of its run says that a session waits no longer.
      const isTold = position === undefined && !this.#givenUp.has(sessionId);
      if (position !== before.get(sessionId) && !isTold) this.#report(sessionId, position);
    }
    this.#givenUp.clear();
  }
}
