import type {
  Approver,
  ModelDriver,
  RuntimeOptions,
  StepEvent,
  StepRequest,
  SubtaskSettings,
} from '@longhaul/core';
import { isHoldId } from '@longhaul/core';
import { childPlaceOf, LonghaulError, type Session, subtaskOf, type ToolPart } from '@longhaul/protocol';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createMemoryStore } from '@longhaul/storage/memory';
import { slowClock } from '@longhaul/testing/clock';
import { answer, calls, playedDriver, testRun, testTool, text, usageOf } from '@longhaul/testing/doubles';
import { createRecallTool, createTaskTool } from '@longhaul/tools';
import { expect, it, vi } from 'vitest';

const SUBTASKS: SubtaskSettings = {
  agents: [
    { name: 'general', description: 'any task.' },
    { name: 'explore', description: 'reads only.', model: 'played/small' },
  ],
  atOnce: 4,
  maxDepth: 2,
};

const TASK = createTaskTool(SUBTASKS);
const task = (prompt: string, more: object = {}) => ({
  name: 'task',
  input: { prompt, ...more },
  callId: `call ${prompt}`,
});

/** The last text that a person or an agent has written. */
function askedOf({ messages }: StepRequest): string {
  const last = messages.findLast(({ role }) => role === 'user');
  return JSON.stringify(last ?? '');
}

const hasCalled = ({ messages }: StepRequest) => JSON.stringify(messages).includes('"callId"');

/** Plays the parent, and for each child what `child` returns for its request. */
function family(
  parent: Parameters<typeof playedDriver>[0],
  child: (request: StepRequest) => AsyncIterable<StepEvent> | readonly StepEvent[],
  options: Partial<RuntimeOptions> = {},
) {
  const parents = playedDriver(parent);
  const children = playedDriver([child], { model: 'child' });
  const driverFor = async (model: string): Promise<ModelDriver> => {
    if (model === 'played/test') return parents;
    if (model === 'played/child' || model === 'played/small') return children;
    throw new LonghaulError('unknown_model', `There is no model ${model}.`);
  };
  return testRun(parents, [TASK, createRecallTool()], {
    driverFor,
    subtasks: { ...SUBTASKS, agents: SUBTASKS.agents.map((each) => ({ model: 'played/child', ...each })) },
    agentFor: () => ({ tools: [TASK, createRecallTool(), ...(options.tools ?? [])] }),
    ...options,
  }).then((test) => ({ ...test, parents, children, childSessions: () => childrenOf(test) }));
}

async function childrenOf({ store, sessionId }: Awaited<ReturnType<typeof testRun>>): Promise<Session[]> {
  return (await store.listSessions({ parentId: sessionId })).toReversed();
}

function resultsOf(messages: readonly { parts: readonly { type: string }[] }[]): ToolPart[] {
  return messages.flatMap(({ parts }) => parts.filter((part): part is ToolPart => part.type === 'tool'));
}

const textOf = (part: ToolPart | undefined) => JSON.stringify(part?.output ?? '');

it('runs a child in a session of its own, and returns its answer', async () => {
  const test = await family([calls(task('Find the parser.')), answer('It is in src/parse.ts.')], () =>
    answer('src/parse.ts:12 defines parse.', usageOf(100)),
  );
  expect(await test.run('Where is it?')).toMatchObject({
    status: 'completed',
    text: 'It is in src/parse.ts.',
  });
  const [child] = await test.childSessions();
  expect(child).toMatchObject({
    parentId: test.sessionId,
    parentCallId: 'call Find the parser.',
    task: 'Find the parser.',
  });
  expect(child && childPlaceOf(child)).toMatchObject({ handle: 'm2.0', depth: 1, isBackground: false });
  const [part] = resultsOf(await test.messages());
  expect(part).toMatchObject({ state: 'completed' });
  expect(textOf(part)).toContain('src/parse.ts:12 defines parse.');
  expect(part && subtaskOf(part)).toMatchObject({
    sessionId: child?.id,
    agent: 'general',
    state: 'completed',
    steps: 1,
  });
  expect(test.of('subtask:started')).toHaveLength(1);
  expect(test.of('subtask:finished')).toMatchObject([
    { handle: 'm2.0', facts: { state: 'completed', tokens: 110 } },
  ]);
  expect(test.children.requests[0]?.system).toContain('You do one task for another agent');
});

it('counts what children use for the parent, and ends them at its limits', async () => {
  const limits = { steps: null, tokens: 1_000, costUsd: null, minutes: null };
  const look = testTool('look', () => text('nothing'));
  const test = await family(
    [calls(task('Search.')), answer('Done.')],
    () => [
      ...calls({ name: 'look' }).slice(0, 1),
      { type: 'finish', finishReason: 'tool-calls', usage: usageOf(390, 10) },
    ],
    { limits, tools: [look] },
  );
  const result = await test.run('Go.');
  expect(result).toMatchObject({ status: 'limit', error: { code: 'limit_reached' } });
  const [child] = await test.childSessions();
  expect(textOf(resultsOf(await test.messages())[0])).toContain('1000 tokens');
  expect(child && (await test.store.listRuns(child.id))).toMatchObject([{ status: 'limit' }]);
  expect(result.usage.totalTokens).toBeGreaterThanOrEqual(800);
});

it('runs as many children at once as the settings allow, and the others later, each once', async () => {
  let running = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  const prompts = Array.from({ length: 20 }, (_, index) => `Task ${index}.`);
  const test = await family(
    [calls(...prompts.map((prompt) => task(prompt))), answer('All done.')],
    async function* (request) {
      running += 1;
      most = Math.max(most, running);
      if (running === 4) gate.resolve();
      await gate.promise;
      running -= 1;
      yield* answer(`Did ${askedOf(request)}`);
    },
  );
  expect(await test.run('Do all.')).toMatchObject({ status: 'completed' });
  expect(most).toBe(4);
  expect((await test.childSessions()).map((child) => child.task).sort()).toEqual(prompts.toSorted());
  const results = resultsOf(await test.messages());
  expect(results).toHaveLength(20);
  for (const [index, part] of results.entries()) expect(textOf(part)).toContain(`Task ${index}.`);
});

it('delivers the result of a child in the background as a message, before the run ends', async () => {
  const gate = Promise.withResolvers<void>();
  const test = await family(
    [
      calls(task('Count the files.', { background: true })),
      () => {
        gate.resolve();
        return answer('I wait.');
      },
      answer('There are 12.'),
    ],
    async function* () {
      await gate.promise;
      yield* answer('12 files.');
    },
  );
  expect(await test.run('Count.')).toMatchObject({ status: 'completed', text: 'There are 12.' });
  const messages = await test.messages();
  expect(textOf(resultsOf(messages)[0])).toContain('Started as m2.0');
  expect(askedOf(test.parents.requests[2] as StepRequest)).toContain('12 files.');
  const [child] = await test.childSessions();
  expect(child && childPlaceOf(child)).toMatchObject({ isBackground: true, isDelivered: true });
  expect(test.of('run:finished').filter(({ sessionId }) => sessionId === test.sessionId)).toHaveLength(1);
});

it('cancels the children with the parent', async () => {
  const begun = Promise.withResolvers<void>();
  const test = await family(
    [calls(task('Wait.'), task('Wait in the background.', { background: true }))],
    async function* ({ signal }) {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  );
  const run = test.run('Go.');
  await begun.promise;
  await test.runtime.cancel(test.sessionId);
  expect(await run).toMatchObject({ status: 'cancelled' });
  for (const child of await test.childSessions()) {
    expect(await test.store.leaseHolder(child.id)).toBeUndefined();
    // Giving a child up holds it for a moment.
    const runs = (await test.store.listRuns(child.id)).filter(({ runId }) => !isHoldId(runId));
    for (const { status } of runs) expect(status).toBe('cancelled');
  }
});

it('leaves the call open when the program stops, and continues the same child when the parent is resumed', async () => {
  const store = createMemoryStore();
  const blobs = createMemoryBlobStore();
  const begun = Promise.withResolvers<void>();
  const first = await family(
    [calls(task('Work.'), task('Work in the background.', { background: true }))],
    async function* ({ signal }) {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
    { store, blobs },
  );
  const run = first.run('Go.');
  await begun.promise;
  await first.runtime.stop({ graceMs: 0 });
  expect(await run).toMatchObject({ status: 'interrupted' });
  expect(resultsOf(await first.messages())[0]).toMatchObject({ state: 'running' });
  const before = await first.childSessions();
  const second = await family(
    [
      ({ messages }) =>
        answer(JSON.stringify(messages).split('Finished.').length > 2 ? 'Both done.' : 'I wait.'),
    ],
    () => answer('Finished.'),
    {
      store,
      blobs,
    },
  );
  expect(await second.runtime.resume(first.sessionId)).toMatchObject({
    status: 'completed',
    text: 'Both done.',
  });
  expect((await first.childSessions()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  const [waited, inBackground] = resultsOf(await first.messages());
  expect(waited).toMatchObject({ state: 'completed' });
  expect(textOf(waited)).toContain('Finished.');
  expect(textOf(inBackground)).toContain('Started as m2.1');
  const delivered = (await first.messages()).filter(
    ({ role, parts }) => role === 'user' && JSON.stringify(parts).includes('Finished.'),
  );
  expect(delivered).toHaveLength(1);
  expect(await second.runtime.resume(first.sessionId)).toEqual({ status: 'nothing' });
});

it('stops a child in the background at the time limit of the run, and continues it in the next run', async () => {
  const store = createMemoryStore();
  const blobs = createMemoryBlobStore();
  const limits = { steps: null, tokens: null, costUsd: null, minutes: 60 };
  slowClock();
  const first = await family(
    [calls(task('Work in the background.', { background: true })), answer('I wait.')],
    async function* ({ signal }) {
      const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
      vi.advanceTimersByTime(60 * 60_000);
      await ended;
    },
    { store, blobs, limits },
  );
  expect(await first.run('Go.')).toMatchObject({ status: 'limit', error: { code: 'limit_reached' } });
  const [child] = await first.childSessions();
  expect(child && (await store.listRuns(child.id))).toMatchObject([{ status: 'interrupted' }]);
  const second = await family([answer('I wait.'), answer('It is done.')], () => answer('Finished.'), {
    store,
    blobs,
  });
  expect(await second.runtime.resume(first.sessionId)).toMatchObject({ status: 'completed' });
  expect(
    child && (await store.getSession(child.id).then((known) => known && childPlaceOf(known))),
  ).toMatchObject({
    isDelivered: true,
  });
  expect((await first.messages()).filter((each) => JSON.stringify(each).includes('Finished.'))).toHaveLength(
    1,
  );
});

it('reports a child that fails, with the reason', async () => {
  const test = await family(
    [
      calls(task('Fail.'), task('Other.', { model: 'played/none' }), task('X.', { agent: 'explorer' })),
      answer('Noted.'),
    ],
    () => [{ type: 'error', error: new LonghaulError('provider_auth', 'The key is wrong.') }],
  );
  expect(await test.run('Go.')).toMatchObject({ status: 'completed' });
  const [failed, noModel, noAgent] = resultsOf(await test.messages());
  expect(failed).toMatchObject({ state: 'error', error: expect.stringContaining('The key is wrong.') });
  expect(noModel).toMatchObject({
    state: 'error',
    error: expect.stringContaining('There is no model played/none.'),
  });
  expect(noAgent).toMatchObject({
    state: 'error',
    error: expect.stringContaining('Did you mean "explore"?'),
  });
  expect(await test.childSessions()).toHaveLength(1);
});

it('has children of children to the depth of the settings, and no tool that the parent lacks', async () => {
  const change = testTool('change', () => text('changed'));
  const test = await family(
    [calls(task('Level 1.')), answer('Done.')],
    (request) => {
      const isDone = hasCalled(request);
      return isDone || askedOf(request).includes('Level 2')
        ? answer('Deep.')
        : calls(task('Level 2.'), { name: 'change' });
    },
    { tools: [change] },
  );
  const allowed = await test.runtime.sendAndWait(test.sessionId, [{ type: 'text', text: 'Go.' }], {
    tools: ['task'],
  });
  expect(allowed).toMatchObject({ status: 'completed' });
  expect(change.starts).toBe(0);
  const [child] = await test.childSessions();
  const [grandchild] = await test.store.listSessions({ parentId: child?.id ?? '' });
  expect(grandchild && childPlaceOf(grandchild)).toMatchObject({ depth: 2, tools: ['task'] });
  const offered = test.children.requests.map(({ tools }) => tools.map(({ name }) => name));
  expect(offered).toEqual([['task'], [], ['task']]);
});

it('finds and reads what a child has seen with recall', async () => {
  const test = await family(
    [
      calls(task('Look.')),
      calls({ name: 'recall', input: { query: 'needle', handle: 'm2.0' }, callId: 'search' }),
      calls({ name: 'recall', input: { handle: 'm2.0/m1' }, callId: 'read' }),
      calls({ name: 'recall', input: { handle: 'm9.0/m1' }, callId: 'wrong' }),
      answer('Done.'),
    ],
    () => answer('There is a needle in line 3.'),
  );
  await test.run('Go.');
  const [, search, read, wrong] = resultsOf(await test.messages());
  expect(textOf(search)).toContain('m2.0/m2.0: There is a needle');
  expect(textOf(read)).toContain('Look.');
  expect(wrong).toMatchObject({ state: 'error' });
});

it('asks at the parent for approval of the calls of a child, and stops the clock of both', async () => {
  const asked: string[] = [];
  const change = testTool('change', () => text('changed'));
  const approver: Approver = {
    approve: async ({ toolName }) => {
      asked.push(toolName);
      return { allowed: true };
    },
    failure: () => undefined,
  };
  const test = await family(
    [calls(task('Change it.')), answer('Done.')],
    (request) => (hasCalled(request) ? answer('Changed.') : calls({ name: 'change' })),
    { tools: [change], approverFor: () => approver },
  );
  await test.run('Go.');
  expect(asked).toEqual(['task', 'change']);
});

it('names the children in the background after each compaction, until their results are there', async () => {
  const gate = Promise.withResolvers<void>();
  const look = testTool('look', () => text('words of a long output. '.repeat(600)));
  const looks = Array.from({ length: 9 }, (_, index) =>
    calls({ name: 'look', input: { index }, callId: `look ${index}` }),
  );
  const test = await family(
    [
      calls(task('Count the files.', { background: true })),
      ...looks,
      () => {
        gate.resolve();
        return answer('I wait.');
      },
      ({ messages }) => answer(JSON.stringify(messages).includes('12 files.') ? 'There are 12.' : 'Nothing.'),
    ],
    async function* () {
      await gate.promise;
      yield* answer('12 files.');
    },
    { tools: [look] },
  );
  expect(await test.run('Count.')).toMatchObject({ status: 'completed', text: 'There are 12.' });
  expect(test.of('context:compressed').length).toBeGreaterThan(1);
  const heading = 'Tasks in the background (each result arrives as a message)';
  const waiting = test.parents.requests
    .slice(0, -1)
    .filter(({ messages }) => JSON.stringify(messages).includes(heading));
  expect(waiting.length).toBeGreaterThan(0);
  expect(JSON.stringify(waiting.at(-1)?.messages)).toContain('- m2.0: general: Count the files.');
  await test.runtime.compact(test.sessionId);
  expect(JSON.stringify((await test.runtime.nextRequestOf(test.sessionId)).messages)).not.toContain(heading);
});
