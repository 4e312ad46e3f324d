import { LonghaulError } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';
import type { EventHub } from './event-hub.ts';
import type { SeenNumbers } from './seen-numbers.ts';

const PAGE = 500;

interface Followed {
  followers: number;
  seen: SeenNumbers;
}

/**
 * Brings into the hub what other processes store of the sessions that are followed here: messages they queue, and the events of runs they
 * drive. Chunks are not stored, so they are not brought.
 */
export class EventFollower {
  readonly #store: Store;
  readonly #hub: EventHub;
  readonly #sessions = new Map<string, Followed>();
  #watch: Disposable | undefined;
  #reading: Promise<void> | undefined;
  #isStale = false;

  constructor(options: { store: Store; hub: EventHub }) {
    this.#store = options.store;
    this.#hub = options.hub;
  }

  /** Tells the session's events from now on, until disposed. @throws {LonghaulError} `session_not_found` */
  async follow(sessionId: string): Promise<Disposable> {
    const after = await this.#store.lastEventNumber(sessionId);
    const followed = this.#sessions.get(sessionId) ?? {
      followers: 0,
      seen: this.#hub.tellOnce(sessionId, after),
    };
    followed.followers += 1;
    this.#sessions.set(sessionId, followed);
    this.#watch ??= this.#store.watch(() => this.#read());
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (!isOver) this.#leave(sessionId, followed);
        isOver = true;
      },
    };
  }

  #leave(sessionId: string, followed: Followed): void {
    followed.followers -= 1;
    if (followed.followers > 0) return;
    this.#sessions.delete(sessionId);
    this.#hub.tellAll(sessionId);
    if (this.#sessions.size > 0) return;
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
  }

  #read(): void {
    this.#isStale = true;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
  }

  async #readAll(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      for (const [sessionId, { seen }] of this.#sessions) await this.#readSession(sessionId, seen);
    }
  }

  async #readSession(sessionId: string, seen: SeenNumbers): Promise<void> {
    try {
      for (;;) {
        const events = await this.#store.readEvents(sessionId, { after: seen.upTo, limit: PAGE });
        for (const event of events) this.#hub.emit(event);
        if (events.length < PAGE) return;
      }
    } catch (error) {
      // A session that is gone has no news, and a store that is locked or closed is named by whoever needs it; the next change is a next try.
      if (!(error instanceof LonghaulError)) throw error;
    }
  }
}
