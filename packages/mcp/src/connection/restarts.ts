import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** Waits for a time, or until the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

const waitFor: Wait = async (ms, signal) => {
  await sleep(ms, undefined, { signal });
};

/** The pauses before a server that keeps failing is started again: 0.5 seconds, then twice as long each time. */
export class Restarts {
  readonly #wait: Wait;
  #failures = 0;

  constructor(wait: Wait = waitFor) {
    this.#wait = wait;
  }

  failed(): void {
    this.#failures += 1;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  async pause(signal: AbortSignal): Promise<void> {
    if (this.#failures === 0) return;
    await this.#wait(Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#failures - 1)), signal);
  }
}
