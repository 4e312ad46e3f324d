import type { Store } from '@longhaul/core';

export interface ReadingWatchOptions {
  store: Pick<Store, 'watch'>;
  /** Time without data after which a stream gets a comment. */
  heartbeatMs: number;
  /** Another process may have changed the store. */
  onForeignChange: () => void;
  onHeartbeat: () => void;
}

/** What runs periodically while somebody reads events: a look at the changes of other processes, and heartbeats. */
export class ReadingWatch {
  readonly #options: ReadingWatchOptions;
  #changes: Disposable | undefined;
  #heartbeats: NodeJS.Timeout | undefined;

  constructor(options: ReadingWatchOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#changes !== undefined) return;
    const { store, heartbeatMs, onForeignChange, onHeartbeat } = this.#options;
    this.#changes = store.watch(onForeignChange);
    this.#heartbeats = setInterval(onHeartbeat, Math.max(100, Math.min(1_000, heartbeatMs / 2)));
    this.#heartbeats.unref();
  }

  stop(): void {
    this.#changes?.[Symbol.dispose]();
    this.#changes = undefined;
    clearInterval(this.#heartbeats);
  }
}
