/** Runs a task when it is requested, never twice at a time. Requests during the task lead to one more run. */
export class Coalesced {
  readonly #task: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #isRunning = false;
  #isRequested = false;

  constructor(task: () => Promise<void>, onError: (error: unknown) => void) {
    this.#task = task;
    this.#onError = onError;
  }

  request(): void {
    this.#isRequested = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isRequested) {
      this.#isRequested = false;
      // A failure must not lose a request that came in the meantime.
      await this.#task().catch(this.#onError);
    }
    this.#isRunning = false;
  }
}
