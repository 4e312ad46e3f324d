import type { FrameReader } from './frame-reader.ts';

/** Ends the streams of readers whose token was revoked or has expired, or whose session is no longer theirs to see. */
export class ReadingPermits {
  readonly #onFailure: (error: unknown) => void;
  readonly #readers = new Map<FrameReader, () => Promise<boolean>>();
  readonly #checking = new Set<FrameReader>();

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  add(reader: FrameReader, mayRead: () => Promise<boolean>): void {
    if (!reader.isClosed) this.#readers.set(reader, mayRead);
  }

  remove(reader: FrameReader): void {
    this.#readers.delete(reader);
  }

  /** Checks every reader that is not being checked. */
  check(): void {
    for (const [reader, mayRead] of this.#readers)
      if (!this.#checking.has(reader)) void this.#check(reader, mayRead);
  }

  async #check(reader: FrameReader, mayRead: () => Promise<boolean>): Promise<void> {
    this.#checking.add(reader);
    try {
      if (!(await mayRead())) reader.end('unauthorized');
    } catch (error) {
      // The next check decides: a store that fails for a moment must not end all streams.
      this.#onFailure(error);
    } finally {
      this.#checking.delete(reader);
    }
  }
}
