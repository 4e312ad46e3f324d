import { setDate } from '@longhaul/testing/clock';
import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';

it('gives the date once a day, and again when a compaction has hidden it', async () => {
  const driver = playedDriver(Array.from({ length: 8 }, () => answer('Done. '.repeat(40))));
  setDate('2026-03-01T10:00:00Z');
  const test = await testRun(driver);
  const notes = async () =>
    (await test.messages())
      .filter(({ metadata }) => metadata?.synthetic === 'environment')
      .map(({ metadata }) => metadata?.['facts']);
  await test.run('one');
  await test.run('two');
  expect(await notes()).toEqual([]);
  setDate('2026-03-02T10:00:00Z');
  await test.run('three');
  await test.run('four');
  expect(await notes()).toEqual([{ date: '2026-03-02' }]);
  await test.run('five');
  await test.run('six');
  const compacted = await test.runtime.compact(test.sessionId, {});
  expect(compacted).toMatchObject({ status: 'compacted' });
  await test.run('seven');
  expect(await notes()).toEqual([{ date: '2026-03-02' }, { date: '2026-03-02' }]);
});

it('follows the message that begins the run, and asks for no answer of its own', async () => {
  const look = testTool('look', () => text('seen'));
  const driver = playedDriver([
    answer('One.'),
    calls({ callId: 'a', name: 'look', input: {} }),
    answer('Two.'),
  ]);
  setDate('2026-03-01T10:00:00Z');
  const test = await testRun(driver, [look]);
  await test.run('one');
  setDate('2026-03-02T10:00:00Z');
  expect(await test.run('two')).toMatchObject({ status: 'completed', stepCount: 2 });
  const roles = (await test.messages()).map(({ role, metadata }) => metadata?.synthetic ?? role);
  expect(roles).toEqual(['user', 'assistant', 'user', 'environment', 'assistant', 'assistant']);
});
