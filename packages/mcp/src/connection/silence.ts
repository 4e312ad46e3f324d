/** Measures how long a server has sent nothing for a call. The time in which it waits for a person does not count. */
export class Silence implements Disposable {
  readonly #controller = new AbortController();
  readonly #ms: number;
  #holds = 0;
  #isDisposed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.heard();
  }

  /** Aborts when the silence is too long. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The server has sent something: the time begins again. */
  heard(): void {
    clearTimeout(this.#timer);
    if (this.#holds === 0) this.#timer = setTimeout(() => this.#controller.abort(), this.#ms);
  }

  /** The time stands still until the result is disposed, and then begins again. */
  hold(): Disposable {
    this.#holds += 1;
    clearTimeout(this.#timer);
    return {
      [Symbol.dispose]: () => {
        this.#holds -= 1;
        if (!this.#isDisposed) this.heard();
      },
    };
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }
}
