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
    try {
      while (this.#isRequested) {
        this.#isRequested = false;
        await this.#task();
      }
    } catch (error) {
      this.#onError(error);
    } finally {
      this.#isRunning = false;
    }
  }
}
