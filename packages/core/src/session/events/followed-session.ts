import { LonghaulError, type LonghaulEvent } from '@longhaul/protocol';
import type { EventStore } from '../../ports/index.ts';

const PAGE = 500;

export interface FollowedSessionOptions {
  store: Pick<EventStore, 'lastEventNumber' | 'readEvents'>;
  sessionId: string;
  emit: (event: LonghaulEvent) => void;
}

/**
 * A session that several processes write to. Emits each event once and in the order of the numbers, whether it comes
 * from this process or from the store. An event of this process waits until the events before it have been read from
 * the store.
 */
export class FollowedSession {
  followers = 0;
  /** Resolves when the first number to emit is known. Until then events wait. Otherwise they could be emitted twice. */
  readonly begun: Promise<void>;
  readonly #options: FollowedSessionOptions;
  readonly #held: LonghaulEvent[] = [];
  /** Events with greater numbers are emitted once each. Events up to this number are not tracked and pass. */
  #after = Number.POSITIVE_INFINITY;
  #emittedTo = Number.POSITIVE_INFINITY;
  #isStale = false;
  #work: Promise<void> | undefined;

  constructor(options: FollowedSessionOptions) {
    this.#options = options;
    this.begun = this.#begin();
    const catchUp = () => this.#catchUp();
    this.#work = this.begun.then(catchUp, catchUp);
  }

  /** Takes an event of this process. */
  take(event: LonghaulEvent): void {
    if (this.#work === undefined && !this.#isAhead(event)) this.#emitOnce(event);
    else {
      this.#held.push(event);
      this.#work ??= this.#catchUp();
    }
  }

  /** Call it when another process may have stored events. */
  checkStore(): void {
    this.#isStale = true;
    this.#work ??= this.#catchUp();
  }

  get isSettled(): boolean {
    return this.#work === undefined;
  }

  /** Resolves when all events so far have been emitted. */
  async settled(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  async #begin(): Promise<void> {
    const { store, sessionId } = this.#options;
    this.#after = await store.lastEventNumber(sessionId);
    this.#emittedTo = this.#after;
  }

  async #catchUp(): Promise<void> {
    while (this.#isStale || this.#held.length > 0) {
      const [next] = this.#held;
      if (next === undefined) {
        this.#isStale = false;
        await this.#readTo(Number.POSITIVE_INFINITY);
        continue;
      }
      if (this.#isAhead(next)) await this.#readTo((next.number ?? 0) - 1);
      this.#held.shift();
      this.#emitOnce(next);
    }
    this.#work = undefined;
  }

  #isAhead({ number }: LonghaulEvent): boolean {
    return number !== undefined && number > this.#emittedTo + 1;
  }

  #emitOnce(event: LonghaulEvent): void {
    const { number } = event;
    if (number !== undefined && number > this.#after) {
      if (number <= this.#emittedTo) return;
      this.#emittedTo = number;
    }
    this.#options.emit(event);
  }

  async #readTo(last: number): Promise<void> {
    const { store, sessionId } = this.#options;
    try {
      while (this.#emittedTo < last) {
        const limit = Math.min(PAGE, last - this.#emittedTo);
        const events = await store.readEvents(sessionId, { after: this.#emittedTo, limit });
        for (const event of events) this.#emitOnce(event);
        if (events.length < limit) return;
      }
    } catch (error) {
      // The session may be deleted, or the store locked or closed. The next change triggers another attempt.
      if (!(error instanceof LonghaulError)) throw error;
    }
  }
}
