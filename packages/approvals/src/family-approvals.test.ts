import type { StepEvent } from '@longhaul/core';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createMemoryStore } from '@longhaul/storage/memory';
import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { createTaskTool } from '@longhaul/tools';
import { expect, it } from 'vitest';
import { createApprovers } from './session-approver.ts';

const SUBTASKS = {
  agents: [{ name: 'general', description: 'any task', model: 'played/child' }],
  atOnce: 4,
  maxDepth: 2,
};
const RULES = [{ tool: 'publish', action: 'ask' }] as const;
const task = (prompt: string) => ({ name: 'task', input: { prompt }, callId: `call ${prompt}` });
const publish = calls({ name: 'publish', input: { command: 'npm publish' }, callId: 'c1' });

/** A parent that starts children, each of which publishes once. */
async function startFamily(
  parent: readonly StepEvent[][],
  stored = { store: createMemoryStore(), blobs: createMemoryBlobStore() },
) {
  const tool = testTool('publish', () => text('published'));
  const drivers = new Map([
    ['played/test', playedDriver([...parent])],
    [
      'played/child',
      playedDriver(
        [({ messages }) => (JSON.stringify(messages).includes('"callId"') ? answer('Published.') : publish)],
        { model: 'child' },
      ),
    ],
  ]);
  const run = await testRun(playedDriver([]), [createTaskTool(SUBTASKS), tool], {
    ...stored,
    subtasks: SUBTASKS,
    driverFor: async (model) => drivers.get(model) ?? playedDriver([]),
    approverFor: createApprovers({ rules: RULES, ask: 'wait', timeoutMs: null }),
  });
  const open = () => run.runtime.approvals.list(run.sessionId, { open: true });
  return { run, tool, open, stored };
}

it('asks in the inbox of the parent for the call of a child, and names the child', async () => {
  const { run, tool, open } = await startFamily([calls(task('Publish it.')), answer('Done.')]);
  const ended = run.run('go');
  await expect.poll(open).toHaveLength(1);
  const [child] = await run.store.listSessions({ parentId: run.sessionId });
  const asks = { sessionId: child?.id, agent: 'general', title: 'Publish it.' };
  expect(await open()).toMatchObject([{ sessionId: run.sessionId, handle: 'm2.0/m2.0', child: asks }]);
  await run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'once', handle: 'm2.0/m2.0' });
  expect(await ended).toMatchObject({ status: 'completed', text: 'Done.' });
  expect(tool.starts).toBe(1);
  const inParent = run.events.filter(({ sessionId }) => sessionId === run.sessionId);
  expect(inParent.filter(({ type }) => type.startsWith('approval:'))).toMatchObject([
    { type: 'approval:requested', handle: 'm2.0/m2.0', child: asks, number: expect.any(Number) },
    { type: 'approval:answered', handle: 'm2.0/m2.0', child: asks, allowed: true },
  ]);
  const again = run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'deny', handle: 'm2.0/m2.0' });
  await expect(again).rejects.toMatchObject({ code: 'not_found' });
  const wrong = run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'deny', handle: 'm9.0/m2.0' });
  await expect(wrong).rejects.toMatchObject({ code: 'not_found' });
});

it('remembers the answer always for the whole family', async () => {
  const { run, tool, open } = await startFamily([
    calls(task('First.')),
    calls(task('Second.')),
    publish,
    answer('Done.'),
  ]);
  const ended = run.run('go');
  await expect.poll(open).toHaveLength(1);
  await run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'always', handle: 'm2.0/m2.0' });
  expect(await ended).toMatchObject({ status: 'completed' });
  expect(tool.starts).toBe(3);
});

it('asks for the calls of two children at once, and answers each', async () => {
  const { run, tool, open } = await startFamily([calls(task('First.'), task('Second.')), answer('Done.')]);
  const ended = run.run('go');
  await expect.poll(open).toHaveLength(2);
  expect((await open()).map(({ handle }) => handle).sort()).toEqual(['m2.0/m2.0', 'm2.1/m2.0']);
  await run.runtime.approvals.answer(run.sessionId, 'c1', {
    answer: 'deny',
    handle: 'm2.1/m2.0',
    reason: 'not now',
  });
  await run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'once', handle: 'm2.0/m2.0' });
  expect(await ended).toMatchObject({ status: 'completed' });
  expect(tool.starts).toBe(1);
  expect(JSON.stringify(await run.messages())).toContain('Published.');
});

it('asks again, once, when the program stops before an answer and the parent is resumed', async () => {
  const first = await startFamily([calls(task('Publish it.'))]);
  const run = first.run.run('go');
  await expect.poll(first.open).toHaveLength(1);
  await first.run.runtime.stop({ graceMs: 0 });
  expect(await run).toMatchObject({ status: 'interrupted' });
  const second = await startFamily([[...answer('Done.')]], first.stored);
  const resumed = second.run.runtime.resume(first.run.sessionId);
  const open = () => second.run.runtime.approvals.list(first.run.sessionId, { open: true });
  await expect.poll(open).toMatchObject([{ handle: 'm2.0/m2.0' }]);
  await second.run.runtime.approvals.answer(first.run.sessionId, 'c1', {
    answer: 'once',
    handle: 'm2.0/m2.0',
  });
  expect(await resumed).toMatchObject({ status: 'completed', text: 'Done.' });
  expect([first.tool.starts, second.tool.starts]).toEqual([0, 1]);
});
