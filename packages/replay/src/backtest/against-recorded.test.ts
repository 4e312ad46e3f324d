import { describe, expect, test } from 'vitest';
import { readSession } from '../importers/import-session.ts';
import { againstRecorded, recordedTotals } from './against-recorded.ts';
import { prepareSession } from './replay-session.ts';
import { filler } from './test-support/recorded.ts';

const user = (content: string, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  ...more,
});
const call = (id: string, input: object) => ({
  type: 'assistant',
  message: { id: `m-${id}`, content: [{ type: 'tool_use', id, name: 'Read', input }] },
});
const result = (id: string, content: string) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
});
const summary = (text: string) => user(text, { isCompactSummary: true });

function measure(rows: object[]) {
  const lines = rows.map((row, number) => JSON.stringify({ ...row, uuid: `u${number}`, sessionId: 's' }));
  const { messages, report } = readSession(lines.join('\n'));
  return againstRecorded(prepareSession(messages), report);
}

const BEFORE = [
  user('Find retryAfterSeconds.'),
  call('c1', { file_path: 'src/client.ts' }),
  result('c1', `const retryAfterSeconds = 3; const maxRetries = 4; ${filler(2_000)}`),
];

describe('against recorded compactions', () => {
  test('counts what was needed after a summary, in it and in a ledger of the same size', () => {
    const text = `The work is about src/client.ts. ${'More words follow here. '.repeat(40)}`;
    const { points, unmeasured } = measure([
      ...BEFORE,
      summary(text),
      call('c2', { file_path: 'src/client.ts', pattern: 'retryAfterSeconds' }),
      result('c2', 'maxRetries'),
      call('c3', { pattern: 'maxRetries' }),
    ]);
    expect(unmeasured).toBe(0);
    expect(points).toEqual([
      {
        step: 1,
        tokensBefore: expect.any(Number),
        tokens: Math.floor(text.length / 4) + 4,
        // `maxRetries` was shown again before it was needed.
        needed: 2,
        recordedSeen: 1,
        ownSeen: 2,
      },
    ]);
  });

  test('attributes what was needed to the last compaction before it', () => {
    const { points } = measure([
      ...BEFORE,
      summary('First summary: src/client.ts'),
      call('c2', { file_path: 'src/client.ts' }),
      result('c2', 'nothing'),
      summary('Second summary: retryAfterSeconds'),
      call('c3', { pattern: 'retryAfterSeconds' }),
    ]);
    expect(points.map(({ needed, recordedSeen }) => [needed, recordedSeen])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  test('takes a path from the root of the workspace for the same file', () => {
    const { points } = measure([
      { ...user('Look.'), cwd: '/home/dev/shop' },
      ...BEFORE,
      call('c0', { file_path: '/home/dev/shop/src/tax.ts' }),
      result('c0', 'nothing'),
      summary('We changed src/tax.ts.'),
      call('c2', { file_path: '/home/dev/shop/src/tax.ts' }),
    ]);
    expect(points[0]).toMatchObject({ needed: 1, recordedSeen: 1 });
  });

  test('leaves out compactions without a text, and those after which nothing earlier was needed', () => {
    const boundary = { type: 'system', subtype: 'compact_boundary' };
    const found = measure([
      ...BEFORE,
      boundary,
      call('c2', { pattern: 'retryAfterSeconds' }),
      summary('A summary.'),
      call('c3', { pattern: 'anotherName' }),
    ]);
    expect(found).toEqual({ points: [], unmeasured: 2 });
    expect(recordedTotals([found, undefined])).toMatchObject({ compactions: 0, unmeasured: 2, needed: 0 });
  });
});
