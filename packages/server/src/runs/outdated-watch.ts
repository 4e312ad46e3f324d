import type { Store } from '@longhaul/core';
import { type LonghaulError, toLonghaulError } from '@longhaul/protocol';

const LOOK_MS = 2_000;

export interface OutdatedWatchOptions {
  store: Pick<Store, 'assertUsable'>;
  /** Called once. */
  onOutdated: (error: LonghaulError) => void;
}

/** Notices that a newer program has changed the tables so that this server cannot use them any more. */
export class OutdatedWatch implements Disposable {
  readonly #options: OutdatedWatchOptions;
  readonly #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: OutdatedWatchOptions) {
    this.#options = options;
    if (options.store.assertUsable === undefined) return;
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Looks now. */
  async look(): Promise<void> {
    try {
      await this.#options.store.assertUsable?.();
    } catch (thrown) {
      const error = toLonghaulError(thrown);
      // A database that cannot be reached is reported by those who use it.
      if (error.code !== 'store_newer' || this.#isOver) return;
      this[Symbol.dispose]();
      this.#options.onOutdated(error);
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }
}
