import { childPlaceOf, type ToolPart } from '@longhaul/protocol';
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
import { expect, it } from 'vitest';
import { createTaskTool } from '../src/task.ts';

const SUBTASKS = { agents: [{ name: 'general', description: 'any task' }], atOnce: 4, maxDepth: 2 };

/** A parent, and children of which each works in a copy of the files. */
async function startFamily(parent: PlayedStep[], child: PlayedStep[]) {
  const workspace = createMemoryWorkspace({ a: '1', b: '1' });
  const changeIn = (files: () => Map<string, string> | undefined) => (input: Record<string, unknown>) => {
    files()?.set(String(input['path']), String(input['content']));
    return text('written');
  };
  const tools = [
    createTaskTool(SUBTASKS),
    testTool(
      'change',
      changeIn(() => workspace.files),
    ),
    testTool(
      'change-copy',
      changeIn(() => [...workspace.folders.values()].at(-1)),
    ),
  ];
  const drivers = new Map([
    ['played/test', playedDriver(parent)],
    ['played/child', playedDriver(child, { model: 'child' })],
  ]);
  const test = await testRun(playedDriver([]), tools, {
    fileTrees: workspace.trees,
    subtasks: { ...SUBTASKS, agents: SUBTASKS.agents.map((each) => ({ ...each, model: 'played/child' })) },
    driverFor: async (model) => drivers.get(model) ?? playedDriver([]),
  });
  const results = async () =>
    (await test.messages()).flatMap(({ parts }) =>
      parts.filter((part): part is ToolPart => part.type === 'tool'),
    );
  const children = async () => (await test.store.listSessions({ parentId: test.sessionId })).toReversed();
  return {
    test,
    workspace,
    results,
    children,
    present: () => Object.fromEntries([...workspace.files].sort()),
  };
}

const change = (path: string, content: string) => calls({ name: 'change', input: { path, content } });
const changeCopy = (path: string, content: string) =>
  calls({ name: 'change-copy', input: { path, content } });
const task = calls({ name: 'task', input: { prompt: 'Change a.', files: 'own' } });
const merge = (handle: string, more: object = {}) =>
  calls({ name: 'task', input: { merge: handle, ...more } });
const shown = (part: ToolPart | undefined) => JSON.stringify(part?.output ?? '');

it('shows the parent what a child changed in its copy, and merges it as work of the parent', async () => {
  const { test, workspace, results, children, present } = await startFamily(
    [task, merge('m2.0'), answer('Merged.')],
    [changeCopy('a', 'by the child'), answer('I changed a.')],
  );
  expect(await test.run('go')).toMatchObject({ text: 'Merged.' });
  const [started, merged] = await results();
  expect(shown(started)).toContain('I changed a.');
  expect(shown(started)).toContain('modified a');
  expect(shown(started)).toContain('merge \\"m2.0\\"');
  expect(shown(merged)).toContain('- modified a');
  expect(present()).toEqual({ a: 'by the child', b: '1' });
  const [child] = await children();
  expect(child?.workspace).not.toBe((await test.store.getSession(test.sessionId))?.workspace);
  expect(child && childPlaceOf(child)?.files).toBe('own');
  expect(workspace.folders.size).toBe(0);
  const patches = (await test.store.listPatches(test.sessionId)).filter(({ part }) => part.byAgent);
  expect(patches.flatMap(({ part }) => part.files.map(({ path }) => path))).toEqual(['a']);
  expect(await test.runtime.files.revert(test.sessionId, 'm1')).toMatchObject({
    status: 'reverted',
    conflicts: [],
  });
  expect(present()).toEqual({ a: '1', b: '1' });
});

it('shows what each of two children changed, and merges one after the other', async () => {
  const { test, results, present } = await startFamily(
    [task, task, merge('m2.0'), merge('m3.0'), answer('Done.')],
    [changeCopy('a', '2'), answer('a.'), changeCopy('b', '2'), answer('b.')],
  );
  await test.run('go');
  expect((await results()).map(({ state }) => state)).toEqual([
    'completed',
    'completed',
    'completed',
    'completed',
  ]);
  expect(present()).toEqual({ a: '2', b: '2' });
});

it('merges nothing if both changed the same file, and drops what the child changed', async () => {
  const drop = calls({ name: 'task', input: { discard: 'm2.0' } });
  const { test, workspace, results, present } = await startFamily(
    [task, change('a', 'here'), merge('m2.0'), drop, merge('m2.0'), answer('Done.')],
    [changeCopy('a', 'there'), changeCopy('c', 'new'), answer('Done.')],
  );
  await test.run('go');
  const [, , refused, dropped, gone] = await results();
  expect(refused?.state).toBe('error');
  expect(shown(refused)).toContain('- a: Both sides changed it.');
  expect(shown(dropped)).toContain('Dropped');
  expect(shown(gone)).toContain('There is no copy of the files any more');
  expect(present()).toEqual({ a: 'here', b: '1' });
  expect(workspace.folders.size).toBe(0);
});

it('removes the copy of a child that changed nothing', async () => {
  const { test, workspace, results } = await startFamily([task, answer('Done.')], [answer('Nothing to do.')]);
  await test.run('go');
  expect(shown((await results())[0])).toContain('changed none');
  expect(workspace.folders.size).toBe(0);
});

it('refuses a merge of a task that has no copy, and calls that mean two things', async () => {
  const shared = calls({ name: 'task', input: { prompt: 'Look.' } });
  const both = calls({ name: 'task', input: { prompt: 'Look.', merge: 'm2.0' } });
  const { test, results } = await startFamily(
    [shared, merge('m2.0'), both, calls({ name: 'task', input: {} }), answer('Done.')],
    [answer('Seen.')],
  );
  await test.run('go');
  const [, none, twice, empty] = await results();
  expect(shown(none)).toContain('has no copy of the files. No task has one.');
  expect(shown(twice)).toContain('different calls');
  expect(shown(empty)).toContain('`prompt` is missing');
});
