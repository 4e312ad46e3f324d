/** A timer takes 31 bits of milliseconds; a longer limit is checked between steps all the same. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The time that a run has worked. It stands still while a person is asked. */
export class RunClock implements Disposable {
  readonly #limitMs: number;
  readonly #deadline = new AbortController();
  #workedMs = 0;
  #goesSince: number | undefined = performance.now();
  #stops = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param minutes Null: no limit. */
  constructor(minutes: number | null) {
    this.#limitMs = minutes === null ? Number.POSITIVE_INFINITY : minutes * 60_000;
    this.#setTimer();
  }

  /** Aborts at the limit: a call that hangs must not outlast it. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  get elapsedMs(): number {
    return this.#workedMs + (this.#goesSince === undefined ? 0 : performance.now() - this.#goesSince);
  }

  /** Stands still until the result is disposed; of several, the last. */
  stop(): Disposable {
    this.#stops += 1;
    if (this.#stops === 1) {
      this.#workedMs = this.elapsedMs;
      this.#goesSince = undefined;
      clearTimeout(this.#timer);
    }
    return { [Symbol.dispose]: () => this.#continuations() };
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #continuations(): void {
    this.#stops -= 1;
    if (this.#stops > 0) return;
    this.#goesSince = performance.now();
    this.#setTimer();
  }

  #setTimer(): void {
    const leftMs = Math.max(0, Math.ceil(this.#limitMs - this.elapsedMs));
    if (leftMs > MAX_TIMER_MS) return;
    this.#timer = setTimeout(() => this.#deadline.abort(), leftMs);
    this.#timer.unref();
  }
}
