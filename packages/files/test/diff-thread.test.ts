import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { directDiffer } from '../src/diff/content-differ.ts';
import { DiffThread } from '../src/worker/diff-thread.ts';

const numbered = (count: number, every: number) =>
  Buffer.from(
    Array.from(
      { length: count },
      (_, index) => `line ${index}${index % every === 0 ? ' changed' : ''}\n`,
    ).join(''),
  );

/** Counts what else this thread does until the work is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns += 1) await setImmediate();
  await ended;
  return turns;
}

describe('comparing contents in a thread', () => {
  it('gives what comparing here gives, for small and large texts, binary and missing contents', async () => {
    await using thread = new DiffThread();
    const binary = (length: number) => Buffer.alloc(length, Buffer.from([0, 1, 2, 250]));
    const contents = [
      [numbered(10, 3), numbered(10, 4)],
      [numbered(20_000, 300), numbered(20_000, 400)],
      [Buffer.alloc(0), numbered(20_000, 1)],
      [binary(10), binary(12)],
      [binary(500_000), numbered(20_000, 1)],
    ] as const;
    for (const [old, now] of contents) {
      const labels = '--- a\n+++ b\n';
      expect(await thread.count(old, now)).toEqual(await directDiffer.count(old, now));
      const pieces = await thread.patch(old, now, labels);
      expect(pieces).toEqual(await directDiffer.patch(old, now, labels));
      expect(pieces.every((piece) => piece.endsWith('\n'))).toBe(true);
    }
  });

  it('lets this thread do other work', async () => {
    await using thread = new DiffThread();
    const [old, now] = [numbered(100_000, 150), numbered(100_000, 250)];
    expect(await turnsDuring(thread.patch(old, now, ''))).toBeGreaterThan(20);
    expect(await turnsDuring(directDiffer.patch(old, now, ''))).toBeLessThan(5);
  });
});
