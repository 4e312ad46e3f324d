import { buildView } from '@longhaul/context/engine';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import {
  answer,
  calls,
  type PlayedStep,
  playedDriver,
  testRun,
  testTool,
  text,
} from '@longhaul/testing/doubles';
import { createTools } from '@longhaul/tools';
import { expect, it } from 'vitest';

/** A fact in the middle of a long output. A compaction hides it before it is needed. */
const FACT = 'const retryAfterSeconds = 4217;';
const LINES = Array.from({ length: 150 }, (_, index) =>
  index === 99 ? FACT : `line ${index + 1} of the file`,
);

/** The text of the last tool result in a request. */
function lastResult(request: Parameters<Extract<PlayedStep, (...args: never[]) => unknown>>[0]): string {
  const part = request.messages.at(-1)?.content.at(-1);
  if (part?.type !== 'tool') return '';
  return part.output.map((content) => (content.type === 'text' ? content.text : '')).join('\n');
}

it('finds text hidden by a compaction by words, reads it by handle and lines, and limits both results', async () => {
  await using store = await openSqliteStore({ path: ':memory:' });
  const recall = createTools({ ripgrep: null }).filter((tool) => tool.name === 'recall');
  const look = testTool('look', ({ at }) =>
    text(at === 'first' ? LINES.join('\n') : 'words of a file\n'.repeat(200)),
  );
  const found: string[] = [];
  const driver = playedDriver([
    calls({ name: 'look', callId: 'c0', input: { at: 'first' } }),
    ...Array.from({ length: 14 }, (_, index) => calls({ name: 'look', callId: `c${index + 1}` })),
    calls({ name: 'recall', callId: 'r1', input: { query: 'retry seconds' } }),
    (request) => {
      found.push(lastResult(request));
      const handle = /(m\d+\.\d+):/.exec(found[0] ?? '')?.[1] ?? 'none';
      return calls({ name: 'recall', callId: 'r2', input: { handle, from: '101', lines: '2' } });
    },
    (request) => {
      found.push(lastResult(request));
      return calls({ name: 'recall', callId: 'r3', input: { query: 'words file' } });
    },
    (request) => {
      found.push(lastResult(request));
      return answer('It is 4217.');
    },
  ]);
  const test = await testRun(driver, [look, ...recall], { store });
  await test.run('Find out how long it waits.');

  expect(test.of('context:compressed').length).toBeGreaterThan(0);
  const log = await store.loadLog(test.sessionId);
  const isShown = buildView(log).some(({ message }) =>
    message.content.some((part) => part.type === 'tool' && part.callId === 'c0'),
  );
  expect(isShown).toBe(false);

  const [search = '', page = '', many = ''] = found;
  expect(search).toMatch(/^m2\.0: .*retryAfterSeconds/m);
  expect(page.split('\n')).toEqual([
    FACT,
    'line 101 of the file',
    expect.stringMatching(/^\[m2\.0: lines 101-102 of 151\. Next: from 103\]$/),
  ]);
  expect(many.length).toBeLessThan(8_000);
  expect(many.match(/^m\d+\.\d+: /gm)?.length).toBe(10);
});
