import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SseReader } from './sse-reader.ts';

const STREAM = ': hello\n\ndata: {"a":"é"}\n\nevent: error\r\ndata: one\r\ndata:two\r\n\r\ndata: [DONE]\n\n';

test('reads the same events wherever the bytes are split, and keeps every byte', () => {
  const bytes = Buffer.from(`${STREAM}data: half`);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
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
