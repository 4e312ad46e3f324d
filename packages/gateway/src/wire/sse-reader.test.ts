import { countSteps } from '@longhaul/testing/steps';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SseReader } from './sse-reader.ts';

const STREAM = ': hello\n\ndata: {"a":"é"}\n\nevent: error\r\ndata: one\r\ndata:two\r\n\r\ndata: [DONE]\n\n';

test('reads the same events wherever the bytes are split, and keeps every byte', () => {
  const bytes = Buffer.from(`${STREAM}data: half`);
  fc.assert(
    fc.property(fc.oneof(fc.array(fc.nat(bytes.length)), fc.constant([...bytes.keys()])), (cuts) => {
      const reader = new SseReader();
      const borders = [0, ...cuts.toSorted((left, right) => left - right), bytes.length];
      const events = borders
        .slice(1)
        .flatMap((end, index) => reader.push(bytes.subarray(borders[index], end)));
      expect(events.map(({ data, name }) => [name, data])).toEqual([
        [undefined, undefined],
        [undefined, '{"a":"é"}'],
        ['error', 'one\ntwo'],
        [undefined, '[DONE]'],
      ]);
      expect(Buffer.concat([...events.map(({ raw }) => raw), reader.pending])).toEqual(bytes);
    }),
  );
});

test('copies the bytes of a long event a few times at most, however many chunks it has', async () => {
  const chunk = Buffer.from(`${'x'.repeat(100)}\n\r`);
  const work = (chunks: number) => {
    const reader = new SseReader();
    const early = Array.from({ length: chunks }, () => reader.push(chunk)).flat();
    const [event] = reader.push(Buffer.from('\n'));
    expect([early.length, event?.raw.length, reader.pending.length]).toEqual([
      0,
      chunks * chunk.length + 1,
      0,
    ]);
  };
  const steps = await countSteps(() => work(200));
  expect(await countSteps(() => work(2_000))).toBeLessThan(steps * 11);

  const copies = [vi.spyOn(Buffer, 'concat'), vi.spyOn(Buffer, 'allocUnsafe')];
  onTestFinished(() => copies.forEach((copy) => void copy.mockRestore()));
  work(2_000);
  const results = copies.flatMap(({ mock }) => mock.results.map(({ value }) => value.length));
  expect(results.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(2_000 * chunk.length * 4);
});

test('never changes the bytes of an event that it has returned', () => {
  const reader = new SseReader();
  const events = ['data: 1', '\n\ndata', ': 2\n\nda', 'ta: 3', '\n\n'].flatMap((text) =>
    reader.push(Buffer.from(text)),
  );
  expect(events.map(({ raw }) => raw.toString())).toEqual(['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']);
});
