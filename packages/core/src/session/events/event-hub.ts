import type { LonghaulEvent } from '@longhaul/protocol';

/** Called with each event, in order. If it throws, it gets no more events. */
export type EventListener = (event: LonghaulEvent) => void;

/** Determines the order of a session's events. */
export interface EventRoute {
  take(event: LonghaulEvent): void;
}

/**
 * Emits events to listeners. A listener that throws is removed and reported in a process warning. It does not stop a
 * run.
 */
export class EventHub {
  readonly #listeners = new Set<EventListener>();
  /** Routes of followed sessions, which also have events from other processes. */
  readonly #routes = new Map<string, EventRoute>();

  /** Returns a function that ends the subscription. */
  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends the session's events to the route, which passes them to `tell` in order. */
  route(sessionId: string, route: EventRoute): void {
    this.#routes.set(sessionId, route);
  }

  endRoute(sessionId: string): void {
    this.#routes.delete(sessionId);
  }

  /** Emits an event of this process, through the session's route if there is one. */
  emit(event: LonghaulEvent): void {
    const route = this.#routes.get(event.sessionId);
    if (route === undefined) this.tell(event);
    else route.take(event);
  }

  /** Passes an event to all listeners at once. */
  tell(event: LonghaulEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#listeners.delete(listener);
        process.emitWarning(`An event listener threw at ${event.type} and was removed: ${String(error)}`);
      }
    }
  }
}
