import type { Dispatcher } from '@longhaul/core';

/** One read of the positions serves all requests of this time. */
const FRESH_MS = 300;

/** The positions of sessions that wait for a place of any server. */
export class SharedPositions {
  readonly #dispatcher: Pick<Dispatcher, 'positions'>;
  #read: { at: number; positions: ReturnType<Dispatcher['positions']> } | undefined;

  constructor(dispatcher: Pick<Dispatcher, 'positions'>) {
    this.#dispatcher = dispatcher;
  }

  /** Undefined: the session does not wait. */
  async of(sessionId: string): Promise<{ position: number } | undefined> {
    const now = performance.now();
    if (this.#read === undefined || now - this.#read.at > FRESH_MS) {
      this.#read = { at: now, positions: this.#dispatcher.positions() };
    }
    const position = (await this.#read.positions).get(sessionId);
    return position === undefined ? undefined : { position };
  }
}
