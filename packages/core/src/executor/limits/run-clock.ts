/** The longest delay of a timer. A longer limit is checked between steps only. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Measures the time that a run has worked. The clock is stopped while a person decides about a call. */
export class RunClock implements Disposable {
  readonly #limitMs: number;
  readonly #deadline = new AbortController();
  #workedMs = 0;
  #runningSince: number | undefined = performance.now();
  #stops = 0;
  readonly #outer: { stop(): Disposable } | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param minutes Null: no limit.
   * @param outer A clock that stops whenever this one is stopped.
   */
  constructor(minutes: number | null, outer?: { stop(): Disposable }) {
    this.#outer = outer;
    this.#limitMs = minutes === null ? Number.POSITIVE_INFINITY : minutes * 60_000;
    this.#setTimer();
  }

  /** Aborts at the limit, so that a call that hangs cannot outlast it. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  get elapsedMs(): number {
    return this.#workedMs + (this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince);
  }

  /**
   * Stops the clock until the result is disposed. If it is stopped several times, until the last result is disposed.
   */
  stop(): Disposable {
    this.#stops += 1;
    if (this.#stops === 1) {
      this.#workedMs = this.elapsedMs;
      this.#runningSince = undefined;
      clearTimeout(this.#timer);
    }
    const outer = this.#outer?.stop();
    return {
      [Symbol.dispose]: () => {
        outer?.[Symbol.dispose]();
        this.#resume();
      },
    };
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #resume(): void {
    this.#stops -= 1;
    if (this.#stops > 0) return;
    this.#runningSince = performance.now();
    this.#setTimer();
  }

  #setTimer(): void {
    const leftMs = Math.max(0, Math.ceil(this.#limitMs - this.elapsedMs));
    if (leftMs > MAX_TIMER_MS) return;
    this.#timer = setTimeout(() => this.#deadline.abort(), leftMs);
    this.#timer.unref();
  }
}
