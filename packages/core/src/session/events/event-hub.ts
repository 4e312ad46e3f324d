import type { LonghaulEvent } from '@longhaul/protocol';

export type EventListener = (event: LonghaulEvent) => void;

/** Sees to the order in which a session's events are told. */
export interface EventRoute {
  take(event: LonghaulEvent): void;
}

/**
 * Hands events to whoever watches. A listener that throws is taken off and named in a process warning: it can never
 * stop a run.
 */
export class EventHub {
  readonly #listeners = new Set<EventListener>();
  /** Of sessions whose events come from other processes too. */
  readonly #routes = new Map<string, EventRoute>();

  /** Returns the function that ends the subscription. */
  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** From now on the session's events go to the route, which tells them in its turn. */
  route(sessionId: string, route: EventRoute): void {
    this.#routes.set(sessionId, route);
  }

  endRoute(sessionId: string): void {
    this.#routes.delete(sessionId);
  }

  /** An event of this process. */
  emit(event: LonghaulEvent): void {
    const route = this.#routes.get(event.sessionId);
    if (route === undefined) this.tell(event);
    else route.take(event);
  }

  /** Hands an event whose turn it is to all who listen. */
  tell(event: LonghaulEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#listeners.delete(listener);
        process.emitWarning(`An event listener threw at ${event.type} and was taken off: ${String(error)}`);
      }
    }
  }
}
