import type { Store } from '../../ports/index.ts';
import type { EventHub } from './event-hub.ts';
import { FollowedSession } from './followed-session.ts';

/**
 * Emits the stored events of other processes for followed sessions: messages that they queue, and the runs that they
 * drive. Chunks are not stored, so chunks of other processes are not emitted.
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
   * Emits the session's events from now on, in the order of their numbers, until the result is disposed. Disposing
   * resolves after all events stored by then have been emitted.
   *
   * @throws {LonghaulError} `session_not_found`
   */
  async follow(sessionId: string): Promise<AsyncDisposable> {
    const followed = this.#sessions.get(sessionId) ?? this.#begin(sessionId);
    followed.followers += 1;
    // Watch before reading the newest event number. Otherwise an event stored in between would be missed.
    this.#watch ??= this.#store.watch(() => {
      for (const session of this.#sessions.values()) session.checkStore();
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
        followed.checkStore();
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
      emit: (event) => hub.tell(event),
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
