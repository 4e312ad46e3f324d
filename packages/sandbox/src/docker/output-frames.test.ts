import { expect, onTestFinished, test, vi } from 'vitest';
import { outputFrames } from './output-frames.ts';

function frame(stream: 1 | 2, text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

async function read(bytes: Buffer, size: number) {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const read: [string, string][] = [];
  for await (const { stream, data } of outputFrames(pieces())) read.push([stream, String(data)]);
  return read;
}

test('reads frames that arrive in pieces of any size', async () => {
  const sent = Buffer.concat([frame(1, 'one'), frame(2, ''), frame(2, 'zwei ä'), frame(1, 'three')]);
  for (let size = 1; size <= sent.length; size += 1) {
    expect(await read(sent, size)).toEqual([
      ['stdout', 'one'],
      ['stderr', ''],
      ['stderr', 'zwei ä'],
      ['stdout', 'three'],
    ]);
  }
});

test('leaves out a frame that is cut', async () => {
  expect(await read(frame(1, 'whole').subarray(0, -1), 3)).toEqual([]);
});

test('copies a frame of many pieces a few times, not once for each piece', async () => {
  const concat = vi.spyOn(Buffer, 'concat');
  onTestFinished(() => concat.mockRestore());
  const sent = frame(1, 'x'.repeat(200_000));
  concat.mockClear();
  expect(await read(sent, 100)).toEqual([['stdout', 'x'.repeat(200_000)]]);
  const copied = concat.mock.calls.map(([pieces]) => pieces.reduce((sum, { length }) => sum + length, 0));
  expect(copied.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(2 * sent.length);
});
