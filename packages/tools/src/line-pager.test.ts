import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLinePage } from './line-pager.ts';

const signal = new AbortController().signal;

/** The lines of the whole text, computed at once. */
function expectedLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

test('returns the same page for any size of the pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'ü'), maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 9 }),
      async (text, from, maxLines, chunkBytes) => {
        const bytes = Buffer.from(text);
        const page = await readLinePage({
          from,
          maxLines,
          maxLineBytes: 1000,
          maxBytes: 10_000,
          sizeBytes: bytes.length,
          read: async ({ start, length }) => bytes.subarray(start, start + length),
          signal,
          chunkBytes,
        });
        const all = expectedLines(text);
        expect(page.lines.map((line) => line.bytes.toString())).toEqual(
          all.slice(from - 1, from - 1 + maxLines),
        );
        expect(page.totalLines).toBe(all.length);
        expect(page.hasMore).toBe(all.length > from - 1 + page.lines.length);
      },
    ),
  );
});

test('ends a page at its byte limit, but returns at least one line', async () => {
  const bytes = Buffer.from('12345678\n1234\n1234\n1234\n');
  const page = (from: number) =>
    readLinePage({
      from,
      maxLines: 10,
      maxLineBytes: 6,
      maxBytes: 8,
      sizeBytes: bytes.length,
      read: async ({ start, length }) => bytes.subarray(start, start + length),
      signal,
    });
  expect((await page(1)).lines).toEqual([{ bytes: Buffer.from('123456'), totalBytes: 8 }]);
  expect((await page(2)).lines.length).toBe(2);
  expect(await page(4)).toMatchObject({ hasMore: false, totalLines: 4 });
});
