import type { LonghaulEvent } from '@longhaul/protocol';

export type EventListener = (event: LonghaulEvent) => void;

/**
 * Hands events to whoever watches. A listener that throws is taken off and named in a process warning: it can never
 * stop a run.
 */
export class EventHub {
  readonly #listeners = new Set<EventListener>();

  /** Returns the function that ends the subscription. */
  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: LonghaulEvent): void {
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
