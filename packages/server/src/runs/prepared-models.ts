import type { ModelDirectory } from '../server-options.ts';

/** Prepares the models of sessions for messages. A model may have to be loaded first, which takes minutes. */
export class PreparedModels {
  readonly #models: Pick<ModelDirectory, 'prepare'>;
  readonly #waiting = new Map<string, Set<AbortController>>();

  constructor(models: Pick<ModelDirectory, 'prepare'>) {
    this.#models = models;
  }

  /** @throws {LonghaulError} A problem with the model; `cancelled` if the session gives up. */
  async prepare(sessionId: string, model: string): Promise<void> {
    const controller = new AbortController();
    const waiting = this.#waiting.get(sessionId) ?? new Set();
    this.#waiting.set(sessionId, waiting.add(controller));
    try {
      await this.#models.prepare(model, controller.signal);
    } finally {
      waiting.delete(controller);
      if (waiting.size === 0) this.#waiting.delete(sessionId);
    }
  }

  /** Ends the waits of a session. Returns whether there were any. */
  giveUp(sessionId: string): boolean {
    const waiting = this.#waiting.get(sessionId);
    for (const controller of waiting ?? []) controller.abort();
    return waiting !== undefined;
  }

  giveUpAll(): void {
    for (const sessionId of this.#waiting.keys()) this.giveUp(sessionId);
  }
}
