import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openToolFixture, refusalOf, textOf } from '../test/tool-fixtures.ts';
import { createRecallTool } from './recall.ts';

const recall = createRecallTool();

test('returns search hits with a handle and a snippet on one line each', async () => {
  await using fixture = await openToolFixture();
  fixture.past.hits = [
    {
      sessionId: 's1',
      messageId: 'x',
      sequence: 12,
      partIndex: 3,
      snippet: '…before\n  retryAfter = 5\nafter…',
    },
    { sessionId: 's1', messageId: 'y', sequence: 4, partIndex: 0, snippet: 'z'.repeat(5000) },
  ];
  const text = await fixture.text(recall, { query: ' retry after ' });
  expect(fixture.past.queries).toEqual(['retry after']);
  expect(text).toMatch(/^m12\.3: …before ⏎ retryAfter = 5 ⏎ after…\nm4\.0: z{600} \[… 5,000 chars\]\n/);
  fixture.past.hits = [];
  expect(await fixture.text(recall, { query: 'gone' })).toMatch(/^Nothing found\./);
});

test('returns pages of lines, and says where the next one starts', async () => {
  await using fixture = await openToolFixture();
  fixture.past.texts.set(
    'm12.3',
    `${Array.from({ length: 500 }, (_, index) => `line ${index + 1}`).join('\n')}\n`,
  );
  const first = await fixture.text(recall, { handle: 'm12.3' });
  expect(first).toMatch(/^line 1\n[\s\S]*\nline 200\n\[m12\.3: lines 1-200 of 500\. Next: from 201\]$/);
  expect(await fixture.text(recall, { handle: 'm12.3', from: '499', lines: 10 })).toBe(
    'line 499\nline 500\n[m12.3: lines 499-500 of 500.]',
  );
  const past = await fixture.call(recall, { handle: 'm12.3', from: 501 });
  expect(past.isError).toBe(true);
  expect(textOf(past)).toBe('from 501 is past the end: m12.3 has 500 lines.');
});

test('reaches every character of any text in bounded pages', async () => {
  await using fixture = await openToolFixture();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', '😀'), fc.integer({ min: 0, max: 7000 })), { maxLength: 8 }),
      async (shape) => {
        const text = shape.map(([unit, count]) => unit.repeat(count)).join('\n');
        fixture.past.texts.set('m1.0', text);
        let read = '';
        let from: number | undefined = 1;
        while (from !== undefined) {
          const page: string = await fixture.text(recall, { handle: 'm1.0', from });
          expect(page.length).toBeLessThanOrEqual(13_000);
          const end = page.lastIndexOf('\n[m1.0');
          read += end === -1 ? '' : page.slice(0, end);
          const next = /Next: from (\d+)\]$/.exec(page);
          from = next === null ? undefined : Number(next[1]);
        }
        expect(read.replaceAll('\n', '')).toBe(text.replaceAll('\n', ''));
      },
    ),
    { numRuns: 30 },
  );
});

test('explains handles, and that it takes either a query or a handle', async () => {
  await using fixture = await openToolFixture();
  const malformed = await fixture.call(recall, { handle: 'output 3' });
  expect(malformed.isError).toBe(true);
  expect(textOf(malformed)).toMatch(/"output 3" is not a handle\. Handles look like m12\.3/);
  expect(await fixture.text(recall, { handle: 'm9.9' })).toMatch(
    /^Nothing has the handle m9\.9\. Handles look like m12\.3/,
  );
  const either = 'Give either `query`, to search, or `handle` (as m12.3), to read.';
  expect(refusalOf(recall, {})).toBe(either);
  expect(refusalOf(recall, { query: '', handle: null })).toBe(either);
  expect(await fixture.text(recall, { query: 'x', handle: 'm1.0' })).toBe(
    '"m1.0" is not a task, so it cannot be searched. Give either query or handle.',
  );
});
