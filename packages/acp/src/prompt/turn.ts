/** One prompt that has no answer yet. */
export class Turn {
  /** Id of its message in the queue. */
  readonly messageId: string;
  readonly #controller = new AbortController();
  /** A run has taken its message. */
  isTaken = false;

  constructor(messageId: string) {
    this.messageId = messageId;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isCancelled(): boolean {
    return this.signal.aborted;
  }

  cancel(): void {
    this.#controller.abort();
  }
}
