import type { JsonObject, ToolPart } from '@longhaul/protocol';

/** Each write is a commit of the store. */
const INTERVAL_MS = 1_000;
/** Longer facts are only emitted. */
const MAX_METADATA_CHARS = 4_000;

export interface Progress {
  title?: string;
  metadata?: JsonObject;
}

export interface StoredProgressOptions {
  /** Stores the running call with its progress. */
  write: (progress: Pick<ToolPart, 'title' | 'metadata'>) => Promise<void>;
  /** Default 1,000. */
  intervalMs?: number;
}

/**
 * Stores the newest progress of a running call, at most once a second, so that a client that comes later, or after a
 * crash, sees how far the call was.
 */
export class StoredProgress {
  readonly #options: StoredProgressOptions;
  #progress: Progress = {};
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #hasStopped = false;

  constructor(options: StoredProgressOptions) {
    this.#options = options;
  }

  report({ title, metadata }: Progress): void {
    if (this.#hasStopped) return;
    if (title !== undefined) this.#progress.title = title;
    if (metadata !== undefined && JSON.stringify(metadata).length <= MAX_METADATA_CHARS) {
      this.#progress.metadata = { ...this.#progress.metadata, ...metadata };
    }
    this.#timer ??= setTimeout(() => this.#write(), this.#options.intervalMs ?? INTERVAL_MS).unref();
  }

  /** Stores nothing more. Resolves when the last write has ended. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
    await this.#writing;
  }

  #write(): void {
    this.#writing = this.#options
      .write({ ...this.#progress })
      // The store has failed, or the session was lost: the write of the call's result reports that.
      .catch(() => undefined)
      .finally(() => {
        this.#timer = undefined;
      });
  }
}
