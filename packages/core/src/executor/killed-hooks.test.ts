import { createMemoryStore } from '@longhaul/storage/memory';
import { answer, playedDriver, testRun } from '@longhaul/testing/doubles';
import { armFault, type FaultPoint, storeWithFaultPoints } from '@longhaul/testing/fault-points';
import { expect, it } from 'vitest';
import { requestCompaction } from '../context/compaction-request.ts';
import type { Hook, HookEvent, HookResult } from '../ports/hook.ts';
import { isNothingToResume } from '../session/runs/turn-state.ts';

/** A session whose process stops once, when a write passes a point after `arm`. */
async function stoppingRun(
  hooks: Partial<Record<Hook['on'], HookResult | (() => HookResult)>>,
  answers: Parameters<typeof playedDriver>[0],
) {
  let faults = { reach(_point: FaultPoint) {} };
  const store = storeWithFaultPoints(createMemoryStore(), { reach: (point) => faults.reach(point) });
  const seen: HookEvent[] = [];
  const made = Object.entries(hooks).map(
    ([on, result]): Hook => ({
      on: on as Hook['on'],
      name: 'mine',
      async run(event) {
        seen.push(event);
        return typeof result === 'function' ? result() : result;
      },
    }),
  );
  const driver = playedDriver(answers);
  const test = await testRun(driver, [], { store, hooksFor: async () => made });
  return {
    ...test,
    driver,
    seen,
    arm(point: FaultPoint, count = 1) {
      const stop = () => {
        throw new Error('stopped');
      };
      faults = armFault({ point, count }, stop);
    },
    texts: async () =>
      (await test.messages()).flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : ''))),
  };
}

const times = (texts: readonly string[], text: string) => texts.filter((each) => each.includes(text)).length;
const long = () => answer('Done. '.repeat(40));

it('keeps the texts of the hooks of a compaction if the process stops after it', async () => {
  const test = await stoppingRun(
    { 'compaction.before': { text: 'KEEP-THIS' }, 'compaction.after': { text: 'AND-THIS' } },
    Array.from({ length: 6 }, long),
  );
  for (const task of ['one', 'two', 'three', 'four']) await test.run(task);
  await requestCompaction(test.store, test.sessionId, { at: 1 });
  test.arm('compaction-committed');
  expect(await test.run('five')).toMatchObject({ status: 'failed' });
  expect(times(await test.texts(), 'KEEP-THIS')).toBe(1);
  expect(times(await test.texts(), 'AND-THIS')).toBe(0);
  for (const task of ['six', 'seven']) await test.run(task);
  expect(test.seen).toEqual([
    { on: 'compaction.before', reason: 'manual' },
    { on: 'compaction.after', reason: 'manual' },
  ]);
  const sent = JSON.stringify(test.driver.requests.at(-1)?.messages);
  expect(sent.match(/KEEP-THIS/g)).toHaveLength(1);
  expect(sent.match(/AND-THIS/g)).toHaveLength(1);
});

it('runs no hooks after a compaction that was not made or is undone', async () => {
  const test = await stoppingRun(
    { 'compaction.before': { text: 'KEEP-THIS' }, 'compaction.after': { text: 'AND-THIS' } },
    Array.from({ length: 6 }, long),
  );
  for (const task of ['one', 'two', 'three', 'four']) await test.run(task);
  await requestCompaction(test.store, test.sessionId, { at: 1 });
  test.arm('compaction-before-commit');
  await test.run('five');
  await test.run('six');
  expect(times(await test.texts(), '-THIS')).toBe(0);
  await requestCompaction(test.store, test.sessionId, { at: 1 });
  test.arm('compaction-committed');
  await test.run('seven');
  await test.runtime.undoCompaction(test.sessionId);
  await test.run('eight');
  expect(test.seen.map(({ on }) => on)).toEqual(['compaction.before', 'compaction.before']);
});

it('runs the hooks of a compaction between runs, and its notes need no answer', async () => {
  const test = await stoppingRun(
    { 'compaction.before': { text: 'KEEP-THIS' }, 'compaction.after': { text: 'AND-THIS' } },
    Array.from({ length: 7 }, long),
  );
  for (const task of ['one', 'two', 'three', 'four']) await test.run(task);
  const sandboxes = test.closedSandboxes();
  expect(await test.runtime.compact(test.sessionId, { windowTokens: 4_000, preview: true })).toMatchObject({
    status: 'preview',
  });
  expect(test.seen).toEqual([]);
  expect(await test.runtime.compact(test.sessionId, { windowTokens: 4_000 })).toMatchObject({
    status: 'compacted',
  });
  expect(test.closedSandboxes()).toBe(sandboxes + 1);
  expect(test.seen).toEqual([
    { on: 'compaction.before', reason: 'manual' },
    { on: 'compaction.after', reason: 'manual' },
  ]);
  expect((await test.texts()).slice(-2)).toEqual([
    expect.stringContaining('KEEP-THIS'),
    expect.stringContaining('AND-THIS'),
  ]);
  expect(await isNothingToResume(test.store, test.sessionId)).toBe(true);
  expect(await test.runtime.resume(test.sessionId)).toEqual({ status: 'nothing' });
  await test.run('five');
  expect(JSON.stringify(test.driver.requests.at(-1)?.messages)).toMatch(/KEEP-THIS.*AND-THIS.*five/);
});

it('runs the hooks after a compaction between runs in the next run if the process stops', async () => {
  const test = await stoppingRun(
    { 'compaction.after': { text: 'AND-THIS' } },
    Array.from({ length: 7 }, long),
  );
  for (const task of ['one', 'two', 'three', 'four']) await test.run(task);
  test.arm('compaction-committed');
  await expect(test.runtime.compact(test.sessionId, { windowTokens: 4_000 })).rejects.toThrow('stopped');
  expect(test.seen).toEqual([]);
  await test.run('five');
  expect(times(await test.texts(), 'AND-THIS')).toBe(1);
});

it('keeps the text about a message if the process stops after it was taken', async () => {
  const test = await stoppingRun({ 'prompt.submit': { text: 'the branch is main' } }, [answer('Done.')]);
  test.arm('queue-taken');
  expect(await test.run('one')).toMatchObject({ status: 'failed' });
  expect(await test.runtime.resume(test.sessionId)).toMatchObject({ status: 'completed' });
  expect(test.seen).toHaveLength(1);
  expect(times(await test.texts(), 'the branch is main')).toBe(1);
});

it('runs the hooks of the start again if the run is cancelled while they run', async () => {
  const cancel = new AbortController();
  const start = () => {
    cancel.abort();
    return {};
  };
  const test = await stoppingRun({ 'session.start': start }, [answer('Done.'), answer('Done.')]);
  expect(await test.run('one', { signal: cancel.signal })).toMatchObject({ status: 'cancelled' });
  await test.run('two');
  await test.run('three');
  expect(test.seen).toHaveLength(2);
});

it('runs the hooks of the start once if two runs start at the same time', async () => {
  const test = await stoppingRun({ 'session.start': { text: 'hello' } }, [answer('One.'), answer('Two.')]);
  await Promise.all([test.run('one'), test.runtime.run(test.sessionId)]);
  expect(test.seen).toEqual([{ on: 'session.start' }]);
  expect(times(await test.texts(), 'hello')).toBe(1);
});

it('judges a final answer after which the process stopped, once', async () => {
  const ends: HookResult[] = [{ deny: 'run the tests' }, {}];
  const test = await stoppingRun({ 'run.end': () => ends.shift() ?? {} }, [answer('One.'), answer('Two.')]);
  test.arm('close-committed');
  expect(await test.run('one')).toMatchObject({ status: 'failed' });
  expect(test.seen).toEqual([]);
  expect(await test.runtime.resume(test.sessionId)).toMatchObject({ status: 'completed', text: 'Two.' });
  expect(test.seen).toMatchObject([{ answer: 'One.' }, { answer: 'Two.' }]);
  expect(times(await test.texts(), 'run the tests')).toBe(1);
  expect(await test.runtime.resume(test.sessionId)).toEqual({ status: 'nothing' });
});

it('completes a run with the answer that the hooks accept later', async () => {
  const test = await stoppingRun({ 'run.end': {} }, [answer('One.')]);
  test.arm('close-committed');
  await test.run('one');
  expect(await test.runtime.resume(test.sessionId)).toMatchObject({ status: 'completed', text: 'One.' });
  expect(test.driver.requests).toHaveLength(1);
  expect(await test.runtime.resume(test.sessionId)).toEqual({ status: 'nothing' });
});
