import type { ModelDirectory } from '../server-options.ts';
import { SessionWaits } from './session-waits.ts';

/** Prepares the models of sessions for messages. A model may have to be loaded first, which takes minutes. */
export class PreparedModels {
  readonly #models: Pick<ModelDirectory, 'prepare'>;
  readonly #waiting = new SessionWaits();

  constructor(models: Pick<ModelDirectory, 'prepare'>) {
    this.#models = models;
  }

  /** @throws {LonghaulError} A problem with the model; `cancelled` if the session gives up. */
  async prepare(sessionId: string, model: string): Promise<void> {
    await this.#waiting.during(sessionId, (signal) => this.#models.prepare(model, signal));
  }

  /** Ends the waits of a session. Returns whether there were any. */
  giveUp(sessionId: string): boolean {
    return this.#waiting.giveUp(sessionId);
  }

  giveUpAll(): void {
    this.#waiting.giveUpAll();
  }
}
