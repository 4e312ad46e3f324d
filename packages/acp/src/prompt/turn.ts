/** One prompt that has no answer yet. */
export class Turn {
  /** Id of its message in the queue. */
  readonly messageId: string;
  /** Patterns of the tools that its answer may use. Undefined: all. */
  readonly tools: readonly string[] | undefined;
  readonly #cancelled = new AbortController();
  readonly #withdrawn = new AbortController();
  /** A run has taken its message. */
  isTaken = false;

  constructor(messageId: string, tools: readonly string[] | undefined) {
    this.messageId = messageId;
    this.tools = tools;
  }

  /** Aborts if the person cancels the prompt. */
  get signal(): AbortSignal {
    return this.#cancelled.signal;
  }

  get isCancelled(): boolean {
    return this.signal.aborted;
  }

  /** Aborts if its message was taken out of the queue: then no run will answer it. */
  get withdrawn(): AbortSignal {
    return this.#withdrawn.signal;
  }

  cancel(): void {
    this.#cancelled.abort();
  }

  withdraw(): void {
    this.#withdrawn.abort();
  }
}
