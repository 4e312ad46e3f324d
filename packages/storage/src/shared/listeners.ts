/** A set of change listeners. `onFirst` and `onLast` start and stop the change detection. */
export class Listeners {
  readonly #listeners = new Set<() => void>();
  readonly #onFirst: () => void;
  readonly #onLast: () => void;

  constructor(options: { onFirst?: () => void; onLast?: () => void } = {}) {
    this.#onFirst = options.onFirst ?? (() => {});
    this.#onLast = options.onLast ?? (() => {});
  }

  add(listener: () => void): Disposable {
    // Wrapped, so that adding one function twice makes two listeners.
    const own = () => listener();
    this.#listeners.add(own);
    if (this.#listeners.size === 1) this.#onFirst();
    return {
      [Symbol.dispose]: () => {
        if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#onLast();
      },
    };
  }

  /** Notifies listeners after the callers that made the change have their results. */
  notifySoon(): void {
    if (this.#listeners.size > 0) setImmediate(() => this.notify());
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  clear(): void {
    if (this.#listeners.size === 0) return;
    this.#listeners.clear();
    this.#onLast();
  }
}
