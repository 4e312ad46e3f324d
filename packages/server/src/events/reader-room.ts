import type { FrameReader } from './frame-reader.ts';

export interface ReaderRoomOptions {
  /** Bytes that may wait for one reader. */
  maxBytesEach: number;
  /** Bytes that may wait for all readers together. */
  maxBytes: number;
}

/**
 * Above the limit, readers are disconnected until the waiting data is below this share of it. The margin avoids doing
 * so again at once.
 */
const SHARE_LEFT = 0.75;
/** Between two checks of all readers, at least this share of the limit is sent. */
const MIN_SHARE_BETWEEN = 1 / 16;

/**
 * Limits the memory for data that waits for readers. There is one limit for each reader and one for all readers
 * together, because two thousand slow readers would otherwise use two thousand times the limit of one. Above the total
 * limit, the readers with the most waiting data are disconnected and must reconnect.
 *
 * The waiting data is not counted on every write, because that would cost time for each reader and event. Since the
 * last check, it cannot have grown by more than the bytes sent since then, so a new check is only needed after that
 * many bytes.
 */
export class ReaderRoom {
  readonly maxBytesEach: number;
  readonly #maxBytes: number;
  readonly #readers: ReadonlySet<FrameReader>;
  #bytesUntilCheck: number;

  constructor({ maxBytesEach, maxBytes }: ReaderRoomOptions, readers: ReadonlySet<FrameReader>) {
    this.maxBytesEach = maxBytesEach;
    this.#maxBytes = maxBytes;
    this.#readers = readers;
    this.#bytesUntilCheck = maxBytes;
  }

  /** Records that `bytes` were sent to one of the readers. */
  sent(bytes: number): void {
    this.#bytesUntilCheck -= bytes;
    if (this.#bytesUntilCheck < 0) this.#check();
  }

  #check(): void {
    const open = [...this.#readers].filter(({ isClosed }) => !isClosed);
    let waiting = open.reduce((sum, { waitingBytes }) => sum + waitingBytes, 0);
    const leaving: FrameReader[] = [];
    if (waiting > this.#maxBytes) {
      for (const reader of open.toSorted((one, other) => other.waitingBytes - one.waitingBytes)) {
        if (waiting <= this.#maxBytes * SHARE_LEFT) break;
        waiting -= reader.waitingBytes;
        leaving.push(reader);
      }
    }
    // Set before the readers are ended, because ending them sends data too.
    this.#bytesUntilCheck = Math.max(this.#maxBytes - waiting, this.#maxBytes * MIN_SHARE_BETWEEN);
    for (const reader of leaving) reader.end('slow');
  }
}
