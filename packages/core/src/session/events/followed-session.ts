import { LonghaulError, type LonghaulEvent } from '@longhaul/protocol';
import type { EventStore } from '../../ports/index.ts';

const PAGE = 500;

export interface FollowedSessionOptions {
  store: Pick<EventStore, 'lastEventNumber' | 'readEvents'>;
  sessionId: string;
  tell: (event: LonghaulEvent) => void;
}

/**
 * A session that other processes write to as well: its events are told once each and in the order of their numbers, whoever brings them. What is
 * ahead of an event that another process has stored is held until that one is read.
 */
export class FollowedSession {
  followers = 0;
  /** Resolves when it is known where it begins. What comes meanwhile waits: told at once, it would be read from the store and told again. */
  readonly begun: Promise<void>;
  readonly #options: FollowedSessionOptions;
  readonly #held: LonghaulEvent[] = [];
  /** Events numbered above it are told once each. What came before and is late is not known: it passes. */
  #after = Number.POSITIVE_INFINITY;
  #toldTo = Number.POSITIVE_INFINITY;
  #isStale = false;
  #work: Promise<void> | undefined;

  constructor(options: FollowedSessionOptions) {
    this.#options = options;
    this.begun = this.#begin();
    const catchUp = () => this.#catchUp();
    this.#work = this.begun.then(catchUp, catchUp);
  }

  /** An event of this process. */
  take(event: LonghaulEvent): void {
    if (this.#work === undefined && !this.#isAhead(event)) this.#tellOnce(event);
    else {
      this.#held.push(event);
      this.#work ??= this.#catchUp();
    }
  }

  /** Another process may have stored something. */
  look(): void {
    this.#isStale = true;
    this.#work ??= this.#catchUp();
  }

  get isSettled(): boolean {
    return this.#work === undefined;
  }

  /** Resolves when all that came so far is told. */
  async settled(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  async #begin(): Promise<void> {
    const { store, sessionId } = this.#options;
    this.#after = await store.lastEventNumber(sessionId);
    this.#toldTo = this.#after;
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
      this.#tellOnce(next);
    }
    this.#work = undefined;
  }

  #isAhead({ number }: LonghaulEvent): boolean {
    return number !== undefined && number > this.#toldTo + 1;
  }

  #tellOnce(event: LonghaulEvent): void {
    const { number } = event;
    if (number !== undefined && number > this.#after) {
      if (number <= this.#toldTo) return;
      this.#toldTo = number;
    }
    this.#options.tell(event);
  }

  async #readTo(last: number): Promise<void> {
    const { store, sessionId } = this.#options;
    try {
      while (this.#toldTo < last) {
        const limit = Math.min(PAGE, last - this.#toldTo);
        const events = await store.readEvents(sessionId, { after: this.#toldTo, limit });
        for (const event of events) this.#tellOnce(event);
        if (events.length < limit) return;
      }
    } catch (error) {
      // A session that is gone has no news, and a store that is locked or closed is named by whoever needs it; the next change is a next try.
      if (!(error instanceof LonghaulError)) throw error;
    }
  }
}
