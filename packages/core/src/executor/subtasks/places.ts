/** Lets a limited number of users work at once. The others wait in the order in which they came. */
export class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Whether the next user must wait. */
  get areTaken(): boolean {
    return this.#free <= 0;
  }

  /** Returns a place, which is free again when it is disposed. @throws the reason of the signal. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#release();
        isTaken = false;
      },
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      this.#waiting.splice(this.#waiting.indexOf(proceed), 1);
      reject(signal.reason);
    };
    const proceed = () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    this.#waiting.push(proceed);
    signal.addEventListener('abort', onAbort, { once: true });
    return promise;
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
