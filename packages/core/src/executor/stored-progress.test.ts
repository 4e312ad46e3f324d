import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { type Progress, StoredProgress } from './stored-progress.ts';

it('stores title and metadata of a call while its tool runs', async () => {
  const { promise: seen, resolve: see } = Promise.withResolvers<void>();
  const tool = testTool('slow', async (_, context) => {
    context.progress({ title: 'half', metadata: { done: 1 } });
    context.progress({ metadata: { of: 2 } });
    await seen;
    return text('Done.');
  });
  const run = await testRun(playedDriver([calls({ name: 'slow' }), answer('Ready.')]), [tool]);
  const running = run.run('Go');
  const part = async () => (await run.messages()).at(-1)?.parts[0];
  const metadata = { done: 1, of: 2 };
  await expect.poll(part).toMatchObject({ type: 'tool', state: 'running', title: 'half', metadata });
  see();
  expect(await running).toMatchObject({ status: 'completed' });
  expect(run.of('llm:tool-progress')).toHaveLength(2);
});

it('writes the newest progress, one write at a time, and none after it was stopped', async () => {
  const written: Progress[] = [];
  const ends: (() => void)[] = [];
  const write = (progress: Progress) =>
    new Promise<void>((resolve) => {
      written.push(progress);
      ends.push(resolve);
    });
  const progress = new StoredProgress({ write, intervalMs: 0 });
  progress.report({ title: 'one' });
  progress.report({ title: 'two', metadata: { large: 'x'.repeat(5_000) } });
  await expect.poll(() => written).toEqual([{ title: 'two' }]);
  progress.report({ title: 'three' });
  const stopped = progress.stop();
  progress.report({ title: 'four' });
  ends[0]?.();
  await stopped;
  expect(written).toEqual([{ title: 'two' }]);
});

it('leaves a failure of the store to the write of the result', async () => {
  let writes = 0;
  const write = async () => {
    writes += 1;
    throw new Error('lost');
  };
  const progress = new StoredProgress({ write, intervalMs: 0 });
  progress.report({ title: 'one' });
  await expect.poll(() => writes).toBe(1);
  await progress.stop();
});
