import type { LonghaulEvent } from '@longhaul/protocol';
import { SeenNumbers } from './seen-numbers.ts';

export type EventListener = (event: LonghaulEvent) => void;

/**
 * Hands events to whoever watches. A listener that throws is taken off and named in a process warning: it can never
 * stop a run.
 */
export class EventHub {
  readonly #listeners = new Set<EventListener>();
  /** Of sessions whose events come from other processes too: each is told once, whoever brings it first. */
  readonly #seen = new Map<string, SeenNumbers>();

  /** Returns the function that ends the subscription. */
  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** From now on, of this session's events those numbered above `after` are told once each. */
  tellOnce(sessionId: string, after: number): SeenNumbers {
    const seen = new SeenNumbers(after);
    this.#seen.set(sessionId, seen);
    return seen;
  }

  tellAll(sessionId: string): void {
    this.#seen.delete(sessionId);
  }

  emit(event: LonghaulEvent): void {
    const isNews = event.number === undefined || this.#seen.get(event.sessionId)?.add(event.number) !== false;
    if (!isNews) return;
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
