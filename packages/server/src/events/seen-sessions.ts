/** Passes the events of sessions that a reader may see, in their order. */
export class SeenSessions {
  readonly #sees: (sessionId: string) => Promise<boolean>;
  readonly #onFailure: (error: unknown) => void;
  #known = new Map<string, boolean>();
  /** Events that wait for an answer, and all after them. */
  #tail: Promise<void> | undefined;

  constructor(sees: (sessionId: string) => Promise<boolean>, onFailure: (error: unknown) => void) {
    this.#sees = sees;
    this.#onFailure = onFailure;
  }

  /** Calls `send` if the session may be seen, after the earlier calls. */
  pass(sessionId: string, send: () => void): void {
    const known = this.#known.get(sessionId);
    if (this.#tail === undefined && known !== undefined) {
      if (known) send();
      return;
    }
    const tail = (this.#tail ?? Promise.resolve())
      .then(() => this.#passNow(sessionId, send))
      .catch(this.#onFailure)
      .finally(() => {
        if (this.#tail === tail) this.#tail = undefined;
      });
    this.#tail = tail;
  }

  /** Asks again from now on. */
  forget(): void {
    this.#known = new Map();
  }

  async #passNow(sessionId: string, send: () => void): Promise<void> {
    const known = this.#known;
    const isSeen = known.get(sessionId) ?? (await this.#sees(sessionId));
    known.set(sessionId, isSeen);
    if (isSeen) send();
  }
}
