import type { Store } from '../../ports/index.ts';
import type { EventHub } from './event-hub.ts';
import { FollowedSession } from './followed-session.ts';

/**
 * Brings into the hub what other processes store of the sessions that are followed here: messages they queue, and the events of runs they
 * drive. Chunks are not stored, so they are not brought.
 */
export class EventFollower {
  readonly #store: Store;
  readonly #hub: EventHub;
  readonly #sessions = new Map<string, FollowedSession>();
  #watch: Disposable | undefined;

  constructor(options: { store: Store; hub: EventHub }) {
    this.#store = options.store;
    this.#hub = options.hub;
  }

  /**
   * Tells the session's events from now on, in the order of their numbers, until disposed. What is stored by then is told before disposing
   * resolves.
   *
   * @throws {LonghaulError} `session_not_found`
   */
  async follow(sessionId: string): Promise<AsyncDisposable> {
    const followed = this.#sessions.get(sessionId) ?? this.#begin(sessionId);
    followed.followers += 1;
    // Before it is read where the session stands: what another process stores after that is a change.
    this.#watch ??= this.#store.watch(() => {
      for (const session of this.#sessions.values()) session.look();
    });
    try {
      await followed.begun;
    } catch (error) {
      this.#leave(sessionId, followed);
      throw error;
    }
    let isOver = false;
    return {
      [Symbol.asyncDispose]: async () => {
        if (isOver) return;
        isOver = true;
        followed.look();
        while (!followed.isSettled) await followed.settled();
        this.#leave(sessionId, followed);
      },
    };
  }

  #begin(sessionId: string): FollowedSession {
    const hub = this.#hub;
    const followed = new FollowedSession({
      store: this.#store,
      sessionId,
      tell: (event) => hub.tell(event),
    });
    this.#sessions.set(sessionId, followed);
    hub.route(sessionId, followed);
    return followed;
  }

  #leave(sessionId: string, followed: FollowedSession): void {
    followed.followers -= 1;
    if (followed.followers > 0) return;
    this.#sessions.delete(sessionId);
    this.#hub.endRoute(sessionId);
    if (this.#sessions.size > 0) return;
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
  }
}
