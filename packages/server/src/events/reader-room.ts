import type { FrameReader } from './frame-reader.ts';

export interface ReaderRoomOptions {
  /** What may wait for one reader. */
  maxBytesEach: number;
  /** What may wait for all of them together. */
  maxBytes: number;
}

/** Where there is too little room, so much of it is made free that it need not be made again at once. */
const SHARE_LEFT = 0.75;
/** It is looked at all readers at most so often that this share of the room was sent meanwhile. */
const MIN_SHARE_BETWEEN = 1 / 16;

/**
 * The memory in which what readers have not taken waits. There is a bound for each, and one for all together: two thousand slow readers would else
 * take two thousand times what one may. Beyond it, those for whom most waits are told to come back.
 *
 * What waits is not counted as it comes and goes, which would cost every reader of every event something: it cannot have grown by more than
 * was sent since it was looked at last.
 */
export class ReaderRoom {
  readonly maxBytesEach: number;
  readonly #maxBytes: number;
  readonly #readers: ReadonlySet<FrameReader>;
  #untilLook: number;

  constructor({ maxBytesEach, maxBytes }: ReaderRoomOptions, readers: ReadonlySet<FrameReader>) {
    this.maxBytesEach = maxBytesEach;
    this.#maxBytes = maxBytes;
    this.#readers = readers;
    this.#untilLook = maxBytes;
  }

  /** So much was sent to one of the readers. */
  sent(bytes: number): void {
    this.#untilLook -= bytes;
    if (this.#untilLook < 0) this.#look();
  }

  #look(): void {
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
    // Before they are told, which sends something too.
    this.#untilLook = Math.max(this.#maxBytes - waiting, this.#maxBytes * MIN_SHARE_BETWEEN);
    for (const reader of leaving) reader.end('slow');
  }
}
