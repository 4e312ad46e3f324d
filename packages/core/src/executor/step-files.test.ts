import { LonghaulError, type PatchPart } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import {
  answer,
  calls,
  createMemoryWorkspace,
  type MemoryWorkspace,
  playedDriver,
  type TestRun,
  testRun,
  testTool,
  text,
} from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import type { ModelDriver, Store } from '../ports/index.ts';

const reader = () => testTool('look', () => text('seen'), { isReadOnly: true });

function writer(workspace: MemoryWorkspace) {
  return testTool('change', ({ path, content }) => {
    workspace.files.set(String(path), String(content));
    return text('written');
  });
}

const change = (path: string, content: string) => ({ name: 'change', input: { path, content } });

function startRun(workspace: MemoryWorkspace, driver: ModelDriver, store: Store = createMemoryStore()) {
  return testRun(driver, [reader(), writer(workspace)], {
    store,
    fileTrees: workspace.trees,
  });
}

async function patchesOf(test: TestRun): Promise<{ sequence: number; part: PatchPart }[]> {
  const messages = await test.messages();
  return messages.flatMap(({ sequence, parts }) =>
    parts.flatMap((part) => (part.type === 'patch' ? [{ sequence, part }] : [])),
  );
}

const summary = ({ sequence, part }: { sequence: number; part: PatchPart }) =>
  `m${sequence} ${part.byAgent ? 'agent' : 'others'}: ${part.files.map(({ path, change }) => `${change} ${path}`).join(', ')}`;

it('records the state before the first change, and what each step changed', async () => {
  const workspace = createMemoryWorkspace({ 'a.txt': 'one' });
  const driver = playedDriver([
    calls(change('a.txt', 'two')),
    calls(change('b.txt', 'new'), change('c.txt', 'new')),
    answer('Done.'),
  ]);
  const test = await startRun(workspace, driver);
  await test.run('go');

  const patches = await patchesOf(test);
  expect(patches.map(summary)).toEqual([
    'm2 others: ',
    'm2 agent: modified a.txt',
    'm3 agent: added b.txt, added c.txt',
  ]);
  const [first, second, third] = patches.map(({ part }) => part);
  expect(first).not.toHaveProperty('before');
  expect(second?.before).toBe(first?.after);
  expect(third?.before).toBe(second?.after);
  expect(test.of('files:changed').map(({ byAgent, files }) => [byAgent, files.length])).toEqual([
    [false, 0],
    [true, 1],
    [true, 2],
  ]);
  expect(workspace.openRecorders()).toBe(0);
});

it('shows the model no record of files', async () => {
  const workspace = createMemoryWorkspace();
  const driver = playedDriver([calls(change('a.txt', 'x')), answer('Done.')]);
  const test = await startRun(workspace, driver);
  await test.run('go');
  expect(JSON.stringify(driver.requests.at(-1)?.messages)).not.toContain('@tree:');
});

it('records nothing after a step that only reads, and opens no recorder in a run without calls', async () => {
  const workspace = createMemoryWorkspace({ 'a.txt': 'one' });
  let records = 0;
  workspace.onRecord = () => {
    records += 1;
  };
  const silent = await startRun(workspace, playedDriver([answer('Hello.')]));
  await silent.run('hi');
  expect(records).toBe(0);

  const reading = await startRun(
    workspace,
    playedDriver([calls({ name: 'look' }), calls({ name: 'look' }), answer('Done.')]),
  );
  await reading.run('look');
  expect(records).toBe(1);
  expect((await patchesOf(reading)).map(summary)).toEqual(['m2 others: ']);
});

it('is finished before the next tool starts', async () => {
  const workspace = createMemoryWorkspace();
  const order: string[] = [];
  let ends = 0;
  workspace.onRecord = async () => {
    const own = ++ends;
    order.push(`record ${own} starts`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`record ${own} ends`);
  };
  const slow = testTool('change', ({ path }) => {
    order.push(`tool ${String(path)}`);
    workspace.files.set(String(path), 'x');
    return text('written');
  });
  const driver = playedDriver([calls(change('a', '')), calls(change('b', '')), answer('Done.')]);
  const test = await testRun(driver, [slow], {
    fileTrees: workspace.trees,
  });
  await test.run('go');
  const tools = order.flatMap((entry, index) => (entry.startsWith('tool') ? [index] : []));
  for (const index of tools) {
    const before = order.slice(0, index);
    expect(before.filter((entry) => entry.endsWith('starts')).length).toBe(
      before.filter((entry) => entry.endsWith('ends')).length,
    );
  }
  expect(order.at(-1)).toBe(`record ${ends} ends`);
});

it('attributes what changed between two steps to others, and tells the model once', async () => {
  const workspace = createMemoryWorkspace({ 'a.txt': 'one' });
  const driver = playedDriver([
    calls(change('b.txt', 'x')),
    async function* () {
      // The record of the first step ends before this answer calls a tool.
      await new Promise((resolve) => setImmediate(resolve));
      workspace.files.set('a.txt', 'edited by a person');
      yield* calls(change('c.txt', 'x'));
    },
    async function* () {
      await new Promise((resolve) => setImmediate(resolve));
      workspace.files.set('a.txt', 'edited again');
      yield* calls(change('d.txt', 'x'));
    },
    answer('Done.'),
  ]);
  const test = await startRun(workspace, driver);
  await test.run('go');
  expect((await patchesOf(test)).map(summary)).toEqual([
    'm2 others: ',
    'm2 agent: added b.txt',
    'm3 others: modified a.txt',
    'm3 agent: added c.txt',
    'm5 others: modified a.txt',
    'm5 agent: added d.txt',
  ]);
  const notes = (await test.messages()).filter(({ metadata }) => metadata?.synthetic === 'files-changed');
  expect(notes).toHaveLength(1);
  expect(JSON.stringify(notes[0]?.parts)).toContain('a.txt');
});

it('finds changes between two runs before the first request of the second', async () => {
  const workspace = createMemoryWorkspace({ 'a.txt': 'one' });
  const driver = playedDriver([calls(change('b.txt', 'x')), answer('Done.'), answer('I see.')]);
  const test = await startRun(workspace, driver);
  await test.run('go');
  workspace.files.delete('a.txt');
  await test.run('again');
  expect((await patchesOf(test)).map(summary).at(-1)).toBe('m4 others: deleted a.txt');
  expect(JSON.stringify(driver.requests.at(-1)?.messages)).toContain('changed outside this session');
});

it('attributes to the agent what a killed run left unrecorded', async () => {
  const workspace = createMemoryWorkspace({ 'a.txt': 'one' });
  const store = createMemoryStore();
  const driver = playedDriver([
    calls(change('b.txt', 'x')),
    calls(change('c.txt', 'y')),
    answer('Done.'),
    answer('Yes.'),
  ]);
  const test = await startRun(workspace, driver, store);
  await test.run('go');
  // As if the process had been killed before the record of the second step was stored.
  const key = `session:${test.sessionId}:files`;
  const state = await store.getSetting(key);
  const [, firstStep] = await patchesOf(test);
  await store.putSetting(key, { ...Object(state), tree: firstStep?.part.after ?? '', through: 2 });
  await test.run('again');
  expect((await patchesOf(test)).map(summary).at(-1)).toBe('m3 agent: added c.txt');
});

it('continues without recording after a failure, with one warning', async () => {
  const workspace = createMemoryWorkspace();
  workspace.failWith(new LonghaulError('store_full', 'The disk is full.'));
  const driver = playedDriver([
    calls(change('a', 'x')),
    calls(change('b', 'x')),
    answer('Done.'),
    answer('More.'),
  ]);
  const test = await startRun(workspace, driver);
  expect(await test.run('go')).toMatchObject({ status: 'completed' });
  expect(test.of('context:warning').map(({ message }) => message)).toEqual([
    expect.stringContaining('The disk is full.'),
  ]);
  expect(await patchesOf(test)).toEqual([]);
  expect(workspace.openRecorders()).toBe(0);
});
