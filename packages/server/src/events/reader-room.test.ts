import { expect, it } from 'vitest';
import type { FrameReader } from './frame-reader.ts';
import { ReaderRoom } from './reader-room.ts';

/** A reader that receives data only when the test resets `waitingBytes`. */
class Slow implements FrameReader {
  readonly #room: () => ReaderRoom;
  waitingBytes = 0;
  isClosed = false;

  constructor(room: () => ReaderRoom) {
    this.#room = room;
  }

  send(frame: string): void {
    if (this.isClosed) return;
    this.waitingBytes += frame.length;
    this.#room().sent(frame.length);
  }

  end(): void {
    this.isClosed = true;
  }

  heartbeat(): void {}
  async drained(): Promise<void> {}
}

function readers(count: number, maxBytes: number): Slow[] {
  const all: Slow[] = Array.from({ length: count }, () => new Slow(() => room));
  const room = new ReaderRoom({ maxBytesEach: maxBytes, maxBytes }, new Set(all));
  return all;
}

it('disconnects the readers with the most waiting data, and no more than necessary', () => {
  const all = readers(10, 5_000);
  for (const [index, reader] of all.entries()) {
    expect(all.some(({ isClosed }) => isClosed)).toBe(false);
    reader.send('x'.repeat(100 * (index + 1)));
  }
  // 5,500 bytes were waiting, and 3,600 are left.
  expect(all.map(({ isClosed }) => isClosed)).toEqual([...Array(8).fill(false), true, true]);
});

it('limits the waiting data of all readers together', () => {
  const all = readers(100, 10_000);
  let most = 0;
  for (let round = 0; round < 1_000; round += 1) {
    for (const reader of all) reader.send('x'.repeat(10));
    const waiting = all.map((reader) => (reader.isClosed ? 0 : reader.waitingBytes));
    most = Math.max(
      most,
      waiting.reduce((sum, bytes) => sum + bytes),
    );
  }
  expect(most).toBeGreaterThan(5_000);
  expect(most).toBeLessThanOrEqual(10_000 * (1 + 1 / 16));
});

it('disconnects no reader that receives its data', () => {
  const [idle, ...quick] = readers(10, 1_000);
  idle?.send('x'.repeat(900));
  for (let round = 0; round < 1_000; round += 1) {
    for (const reader of quick) {
      reader.send('x'.repeat(50));
      reader.waitingBytes = 0;
    }
  }
  expect([idle, ...quick].some((reader) => reader?.isClosed)).toBe(false);
});
