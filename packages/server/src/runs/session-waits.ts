/** What callers wait for, by session, so that all waits of a session can be ended. */
export class SessionWaits {
  readonly #waits = new Map<string, Set<AbortController>>();

  /** Calls `wait` with a signal that aborts when the session gives up, or with the caller's signal. */
  async during<Value>(
    sessionId: string,
    wait: (signal: AbortSignal) => Promise<Value>,
    signal?: AbortSignal,
  ): Promise<Value> {
    const controller = new AbortController();
    const waits = this.#waits.get(sessionId) ?? new Set();
    this.#waits.set(sessionId, waits.add(controller));
    const either = signal === undefined ? controller.signal : AbortSignal.any([controller.signal, signal]);
    try {
      return await wait(either);
    } finally {
      waits.delete(controller);
      if (waits.size === 0) this.#waits.delete(sessionId);
    }
  }

  /** Ends the waits of a session. Returns whether there were any. */
  giveUp(sessionId: string): boolean {
    const waits = this.#waits.get(sessionId);
    for (const controller of waits ?? []) controller.abort();
    return waits !== undefined;
  }

  giveUpAll(): void {
    for (const sessionId of [...this.#waits.keys()]) this.giveUp(sessionId);
  }
}
