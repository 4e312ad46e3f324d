import { LonghaulError } from '@longhaul/protocol';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createMemoryStore } from '@longhaul/storage/memory';
import {
  answer,
  calls,
  createMemoryWorkspace,
  type PlayedStep,
  playedDriver,
  testRun,
  testTool,
  text,
} from '@longhaul/testing/doubles';
import { createTaskTool } from '@longhaul/tools';
import { expect, it } from 'vitest';

const SUBTASKS = { agents: [{ name: 'general', description: 'any task' }], atOnce: 4, maxDepth: 2 };

/** A family in one workspace. The parent's and the child's model play their steps. */
async function startFamily(parent: PlayedStep[], child: PlayedStep[]) {
  const workspace = createMemoryWorkspace({ a: '1' });
  const change = testTool('change', ({ path, content }) => {
    workspace.files.set(String(path), String(content));
    return text('written');
  });
  const drivers = new Map([
    ['played/test', playedDriver(parent)],
    ['played/child', playedDriver(child, { model: 'child' })],
  ]);
  const tools = [createTaskTool(SUBTASKS), change];
  const test = await testRun(playedDriver([]), tools, {
    store: createMemoryStore(),
    fileTrees: workspace.trees,
    subtasks: { ...SUBTASKS, agents: SUBTASKS.agents.map((each) => ({ ...each, model: 'played/child' })) },
    driverFor: async (model) => drivers.get(model) ?? playedDriver([]),
  });
  return { test, workspace, files: test.runtime.files, parent: drivers.get('played/test') };
}

const change = (path: string, content: string) => calls({ name: 'change', input: { path, content } });
const task = (more: object = {}) => calls({ name: 'task', input: { prompt: 'Change b.', ...more } });

it('takes back what a child has changed when the parent is reverted, and needs no force', async () => {
  const { test, workspace, files } = await startFamily(
    [change('a', '2'), task(), answer('Done.')],
    [change('b', 'by the child'), answer('I changed b.')],
  );
  await test.run('go');
  const [child] = await test.store.listSessions({ parentId: test.sessionId });
  const changes = (await test.store.listPatches(child?.id ?? '')).flatMap(({ part }) => part.files);
  expect(changes).toMatchObject([{ path: 'b', change: 'added' }]);
  expect(JSON.stringify(await test.messages())).toContain('Files changed:\\n- created b');
  const reverted = await files.revert(test.sessionId, 'm1');
  expect(reverted).toMatchObject({ status: 'reverted', conflicts: [], skipped: [] });
  expect(Object.fromEntries(workspace.files)).toEqual({ a: '1' });
});

it('counts what a child in the background changes as work of the session, and does not call it a change by others', async () => {
  const { test, workspace, files, parent } = await startFamily(
    [task({ background: true }), answer('I wait.'), change('a', '2'), answer('Done.')],
    [change('b', 'by the child'), answer('I changed b.')],
  );
  expect(await test.run('go')).toMatchObject({ text: 'Done.' });
  const patches = (await test.store.listPatches(test.sessionId)).flatMap(({ part }) => part);
  expect(patches.every(({ byAgent, before }) => byAgent || before === undefined)).toBe(true);
  expect(JSON.stringify(parent?.requests.at(-1)?.messages)).not.toContain('changed outside this session');
  expect(await files.revert(test.sessionId, 'm1')).toMatchObject({ status: 'reverted', conflicts: [] });
  expect(Object.fromEntries(workspace.files)).toEqual({ a: '1' });
});

it('counts what children changed before the process was killed as work of the session', async () => {
  const workspace = createMemoryWorkspace({ a: '1' });
  const kept = { store: createMemoryStore(), blobs: createMemoryBlobStore(), fileTrees: workspace.trees };
  const begun = Promise.withResolvers<void>();
  const slow = testTool('slow', async (_input, { signal }) => {
    workspace.files.set('b', 'by the child');
    // As if the process were killed: nothing records what the child has done.
    workspace.failWith(new LonghaulError('store_full', 'The disk is full.'));
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return text('done');
  });
  const start = (steps: PlayedStep[]) =>
    testRun(playedDriver(steps), [createTaskTool(SUBTASKS), slow], { ...kept, subtasks: SUBTASKS });
  const first = await start([task(), calls({ name: 'slow' })]);
  const run = first.run('go');
  await begun.promise;
  await first.runtime.stop({ graceMs: 0 });
  await run;
  workspace.failWith(undefined);
  const { runtime } = await start([answer('I changed b.'), answer('Done.')]);
  expect(await runtime.resume(first.sessionId)).toMatchObject({ status: 'completed', text: 'Done.' });
  expect(JSON.stringify(await first.messages())).not.toContain('changed outside this session');
  expect(await runtime.files.revert(first.sessionId, 'm1')).toMatchObject({
    status: 'reverted',
    conflicts: [],
  });
  expect(Object.fromEntries(workspace.files)).toEqual({ a: '1' });
});
