import { hostname } from 'node:os';
import {
  type Hook,
  type ModelDriver,
  NO_LIMITS,
  type RuntimeOptions,
  type StepEvent,
  type StepRequest,
  type Store,
} from '@longhaul/core';
import { LonghaulError, NO_BUDGETS, subtaskOf, type ToolPart, toLonghaulError } from '@longhaul/protocol';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createMemoryStore } from '@longhaul/storage/memory';
import { answer, calls, playedDriver, testRun, testTool, text, usageOf } from '@longhaul/testing/doubles';
import { createTaskTool } from '@longhaul/tools';
import { expect, it } from 'vitest';

const SUBTASKS = {
  agents: [{ name: 'general', description: 'any task', model: 'played/child' }],
  atOnce: 4,
  maxDepth: 2,
};
const TASK = createTaskTool(SUBTASKS);
const task = (prompt: string, more: object = {}) =>
  calls({ name: 'task', input: { prompt, ...more }, callId: `call ${prompt}` });

type Child = (request: StepRequest) => AsyncIterable<StepEvent> | readonly StepEvent[];

/** A parent that calls one child, and then says "Noted.". */
async function family(child: Child, options: Partial<RuntimeOptions> & { more?: object } = {}) {
  const { more, ...rest } = options;
  const parent = playedDriver([task('Do it.', more), answer('Noted.')]);
  const children = playedDriver([child], { model: 'child' });
  const driverFor = async (model: string): Promise<ModelDriver> =>
    model === 'played/test' ? parent : children;
  const test = await testRun(parent, [TASK, ...(options.tools ?? [])], {
    driverFor,
    subtasks: SUBTASKS,
    ...rest,
    tools: [TASK, ...(options.tools ?? [])],
  });
  const callOf = async () =>
    (await test.messages())
      .flatMap(({ parts }) => parts)
      .find((part): part is ToolPart => part.type === 'tool');
  const childOf = async () => {
    await expect.poll(() => test.store.listSessions({ parentId: test.sessionId })).toHaveLength(1);
    return (await test.store.listSessions({ parentId: test.sessionId }))[0]?.id ?? '';
  };
  return { ...test, parent, children, callOf, childOf };
}

/** A child that works until it is told to stop. */
function endless() {
  const begun = Promise.withResolvers<void>();
  const step: Child = async function* ({ signal }) {
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  return { begun: begun.promise, step };
}

const textOf = (part: ToolPart | undefined) => JSON.stringify(part?.output ?? '');

it.each<[string, Child, Partial<RuntimeOptions>, string, string]>([
  [
    'a broken stream',
    () => [{ type: 'error', error: new LonghaulError('provider_overloaded', 'Connection refused.') }],
    { retry: { attempts: 1, totalMs: 1_000, firstDelayMs: 1 } },
    'failed',
    'Connection refused.',
  ],
  [
    'a limit of its agent',
    () => [...calls({ name: 'look' })],
    {
      agentFor: () => ({
        tools: [TASK, testTool('look', () => text('x'))],
        limits: { ...NO_LIMITS, steps: 2 },
      }),
    },
    'limit',
    '2 steps (limits.steps',
  ],
  [
    'a loop',
    () => calls({ name: 'look' }),
    { tools: [testTool('look', () => text('x'))] },
    'limit',
    'in a loop',
  ],
  ['no answer', () => answer(''), {}, 'failed', 'empty'],
  [
    'a window that is too small',
    () => [{ type: 'error', error: new LonghaulError('context_overflow', 'Too long.') }],
    {},
    'failed',
    'A compaction would save almost nothing',
  ],
])('returns the reason when a child ends with %s', async (_, child, options, state, reason) => {
  const test = await family(child, options);
  expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Noted.' });
  const part = await test.callOf();
  expect(part).toMatchObject({ state: 'error' });
  expect(part && subtaskOf(part)?.state).toBe(state);
  expect(textOf(part)).toContain('[The task did not complete: ');
  expect(textOf(part)).toContain(reason);
});

it('returns when a person cancels the child, and the parent continues', async () => {
  const { begun, step } = endless();
  const test = await family(step);
  const run = test.run('go');
  await begun;
  await test.runtime.cancel(await test.childOf());
  expect(await run).toMatchObject({ status: 'completed', text: 'Noted.' });
  const part = await test.callOf();
  expect(part && subtaskOf(part)?.state).toBe('cancelled');
});

it('returns when a hook refuses the task of the child', async () => {
  const hook: Hook = {
    on: 'prompt.submit',
    name: 'guard',
    run: async (event) =>
      event.on === 'prompt.submit' && event.prompt === 'Do it.' ? { deny: 'not here' } : undefined,
  };
  const test = await family(() => answer('Did it.'), { hooksFor: async () => [hook] });
  expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Noted.' });
  expect(textOf(await test.callOf())).toContain('not here');
  expect(test.children.requests).toEqual([]);
});

it('gives a message that is sent to the child to the child, and waits for its whole run', async () => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const test = await family(async function* ({ messages }) {
    begun.resolve();
    await gate.promise;
    yield* answer(JSON.stringify(messages).includes('Also count.') ? 'Counted, too.' : 'Did it.');
  });
  const run = test.run('go');
  await begun.promise;
  await test.runtime.send(await test.childOf(), [{ type: 'text', text: 'Also count.' }]);
  gate.resolve();
  await run;
  expect(textOf(await test.callOf())).toContain('Counted, too.');
});

it('returns when the task is removed from the queue of the child before it starts', async () => {
  const { begun, step } = endless();
  const store = createMemoryStore();
  const parent = playedDriver([
    calls(
      { name: 'task', input: { prompt: 'First.' }, callId: 'one' },
      { name: 'task', input: { prompt: 'Second.' }, callId: 'two' },
    ),
    answer('Noted.'),
  ]);
  const children = playedDriver([step], { model: 'child' });
  const test = await testRun(parent, [TASK], {
    store,
    subtasks: { ...SUBTASKS, atOnce: 1 },
    driverFor: async (model) => (model === 'played/test' ? parent : children),
  });
  const run = test.run('go');
  await begun;
  const waiting = () => store.listSessions({ parentId: test.sessionId, search: 'Second.' });
  await expect.poll(waiting).toHaveLength(1);
  const [second] = await waiting();
  await store.deleteSession(second?.id ?? '');
  const [first] = await store.listSessions({ parentId: test.sessionId, search: 'First.' });
  await test.runtime.cancel(first?.id ?? '');
  expect(await run).toMatchObject({ status: 'completed', text: 'Noted.' });
  const parts = (await test.messages()).flatMap(({ parts }) => parts.filter((part) => part.type === 'tool'));
  expect(parts.map(({ state }) => state)).toEqual(['error', 'error']);
  expect(textOf(parts[1])).toContain('There is no session');
});

it('ends the child at the cost limit of the parent, and says so', async () => {
  const look = testTool('look', () => text('nothing new'));
  let round = 0;
  const test = await family(
    () => {
      round += 1;
      return [
        ...calls({ name: 'look', input: { round } }).slice(0, 1),
        { type: 'finish', finishReason: 'tool-calls', usage: usageOf(1_000, 10) },
      ];
    },
    { tools: [look], limits: { ...NO_LIMITS, costUsd: 0.05 }, costOf: () => 0.01 },
  );
  const result = await test.run('go');
  expect(result).toMatchObject({ status: 'limit' });
  expect(textOf(await test.callOf())).toContain('$0.05 (limits.costUsd)');
  expect(result.cost).toBeGreaterThanOrEqual(0.05);
  expect(result.cost).toBeLessThan(0.1);
});

it('spends the budget of the parent in a child at any depth, and ends both', async () => {
  const look = testTool('look', () => text('nothing new'));
  let round = 0;
  const test = await family(
    () => {
      round += 1;
      return [
        ...calls({ name: 'look', input: { round } }).slice(0, 1),
        { type: 'finish', finishReason: 'tool-calls', usage: usageOf(9_990, 10) },
      ];
    },
    { tools: [look], budgetsFor: () => ({ ...NO_BUDGETS, session: { tokens: 35_000, costUsd: null } }) },
  );
  expect(await test.run('go')).toMatchObject({ status: 'limit', error: { code: 'budget_exceeded' } });
  expect(textOf(await test.callOf())).toContain('The budget of this session is spent');
  expect(test.parent.requests).toHaveLength(1);
  const [used] = await test.store.listUsage({ by: ['session'], limit: 5 });
  expect(used).toMatchObject({ session: test.sessionId, calls: test.children.requests.length + 1 });
  expect(used?.usage.totalTokens).toBeGreaterThanOrEqual(35_000);
  expect(used?.usage.totalTokens).toBeLessThan(35_000 + 10_000);
});

it('does not continue a child in the background whose call was reverted', async () => {
  const store = createMemoryStore();
  const blobs = createMemoryBlobStore();
  const { begun, step } = endless();
  const first = await family(step, { store, blobs, more: { background: true } });
  const run = first.run('go');
  await begun;
  await first.runtime.stop({ graceMs: 0 });
  expect(await run).toMatchObject({ status: 'interrupted' });
  const driver = playedDriver([answer('Something else.')]);
  const second = await testRun(driver, [TASK], { store, blobs, subtasks: SUBTASKS });
  await second.runtime.files.revert(first.sessionId, 'm1', { only: 'conversation' });
  await second.runtime.sendAndWait(first.sessionId, [{ type: 'text', text: 'Do something else.' }]);
  expect(driver.requests).toHaveLength(1);
});

it('waits for a child that another process has resumed, and gets its outcome', async () => {
  const store = createMemoryStore();
  const blobs = createMemoryBlobStore();
  const first = endless();
  const test = await family(first.step, { store, blobs });
  const run = test.run('go');
  await first.begun;
  const childId = await test.childOf();
  await test.runtime.stop({ graceMs: 0 });
  await run;
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow = playedDriver([
    async function* () {
      begun.resolve();
      await gate.promise;
      yield* answer('Finished elsewhere.');
    },
  ]);
  const other = await testRun(slow, [], { store, blobs });
  const elsewhere = other.runtime.resume(childId);
  await begun.promise;
  const parent = playedDriver([answer('Noted.')]);
  const third = await testRun(parent, [TASK], { store, blobs, subtasks: SUBTASKS });
  const resumed = third.runtime.resume(test.sessionId);
  gate.resolve();
  expect(await elsewhere).toMatchObject({ status: 'completed' });
  expect(await resumed).toMatchObject({ status: 'completed', text: 'Noted.' });
  expect(textOf(await test.callOf())).toContain('Finished elsewhere.');
  expect(slow.requests).toHaveLength(1);
});

it('closes what a dead run of the child has left, when the parent is cancelled before it continues the child', async () => {
  const store = createMemoryStore();
  const blobs = createMemoryBlobStore();
  const { begun, step } = endless();
  const first = await family(step, { store, blobs });
  const run = first.run('go');
  await begun;
  const childId = await first.childOf();
  await first.runtime.stop({ graceMs: 0 });
  await run;
  // Like a killed process: the child's run has no end, its call of a child is open, and so is that child's run.
  const deepId = '01a229ed-0ce2-76c2-a410-65fb8de2b32c';
  const child = await store.getSession(childId);
  await store.createSession({ ...child!, id: deepId, parentId: childId, parentCallId: 'deep' });
  const lease = await takenByDead(store, childId);
  await takenByDead(store, deepId);
  const parts = [
    {
      type: 'tool' as const,
      callId: 'deep',
      name: 'task',
      input: { prompt: 'Deep.' },
      state: 'running' as const,
    },
  ];
  await store.appendMessage(lease, {
    id: '01a229ed-0ce2-76c2-a410-65fb8de2b32b',
    role: 'assistant',
    parts,
    status: 'running',
    createdAt: Date.now(),
    tokenCount: 1,
  });
  const second = await testRun(playedDriver([answer('Noted.')]), [TASK], {
    store,
    blobs,
    subtasks: SUBTASKS,
  });
  const repaired: string[] = [];
  second.runtime.subscribe(({ type, sessionId }) => {
    if (type === 'run:repaired') repaired.push(sessionId);
    if (type === 'run:started' && sessionId === first.sessionId) void second.runtime.cancel(first.sessionId);
  });
  await second.runtime.resume(first.sessionId);
  expect(textOf(await first.callOf())).toContain('cancelled');
  const { messages } = await store.loadLog(childId);
  const open = messages
    .flatMap((message) => message.parts)
    .filter((part) => part.type === 'tool' && part.state === 'running');
  expect(open).toEqual([]);
  // A process that is killed in between leaves the call of the deepest child open, and whoever continues finds it.
  expect(repaired).toEqual([deepId, childId]);
  for (const id of [childId, deepId]) {
    expect(await store.leaseHolder(id)).toBeUndefined();
    expect(await store.listQueue(id)).toEqual([]);
    expect((await store.listRuns(id, { isOpen: true })).map(({ runId }) => runId)).toEqual([]);
  }
});

it('closes the dead run of a child whose task was taken back by a process that died', async () => {
  const store = createMemoryStore();
  const blobs = createMemoryBlobStore();
  const parent = playedDriver([
    calls(
      { name: 'task', input: { prompt: 'First.' }, callId: 'one' },
      { name: 'task', input: { prompt: 'Second.' }, callId: 'two' },
    ),
    answer('Noted.'),
  ]);
  const { begun, step } = endless();
  const children = playedDriver([step, answer('Did it.')], { model: 'child' });
  const options = {
    store,
    blobs,
    subtasks: { ...SUBTASKS, atOnce: 1 },
    driverFor: async (model: string) => (model === 'played/test' ? parent : children),
  };
  const first = await testRun(parent, [TASK], options);
  const run = first.run('go');
  await begun;
  const waiting = () => store.listSessions({ parentId: first.sessionId, search: 'Second.' });
  await expect.poll(waiting).toHaveLength(1);
  const [second] = await waiting();
  const childId = second?.id ?? '';
  await expect.poll(() => store.listQueue(childId)).toHaveLength(1);
  await first.runtime.stop({ graceMs: 0 });
  await run;
  await takenByDead(store, childId);
  for (const { id } of await store.listQueue(childId)) await store.removeQueued(childId, id);
  const again = await testRun(parent, [TASK], options);
  expect(await again.runtime.resume(first.sessionId)).toMatchObject({ status: 'completed', text: 'Noted.' });
  const parts = (await again.store.loadLog(first.sessionId)).messages
    .flatMap((message) => message.parts)
    .filter((part) => part.type === 'tool');
  expect(parts.map(({ state }) => state)).toEqual(['completed', 'error']);
  expect(textOf(parts[1])).toContain('was removed from the queue');
  expect(await store.leaseHolder(childId)).toBeUndefined();
  expect(await store.listRuns(childId, { isOpen: true })).toEqual([]);
});

/** A process of an earlier boot has a run that never ended. */
async function takenByDead(store: Store, sessionId: string) {
  const owner = { host: hostname(), bootId: 'before', pid: 1, processStartedAt: '0' };
  const claim = { runId: `dead ${sessionId}`, ttlMs: 30_000, owner, isAlive: () => true };
  return (await store.acquireLease(sessionId, claim)).lease;
}

/** Runs a family, and does `act` at the event with this number. Returns false if there were fewer events. */
async function runUntil(count: number, act: (test: Awaited<ReturnType<typeof testRun>>) => Promise<unknown>) {
  const store = createMemoryStore();
  const blobs = createMemoryBlobStore();
  const drivers = new Map([
    [
      'played/test',
      playedDriver([
        calls(
          { name: 'task', input: { prompt: 'One.' }, callId: 'one' },
          { name: 'task', input: { prompt: 'Two.' }, callId: 'two' },
          { name: 'task', input: { prompt: 'Three.', background: true }, callId: 'three' },
        ),
        ({ messages }) => answer(isDelivered(messages) ? 'All done.' : 'I wait.'),
      ]),
    ],
    [
      'played/child',
      playedDriver(
        [
          ({ messages }) =>
            JSON.stringify(messages).includes('"callId"') ? answer('Did it.') : calls({ name: 'look' }),
        ],
        { model: 'child' },
      ),
    ],
  ]);
  const look = testTool('look', () => text('found'));
  const options = {
    store,
    blobs,
    subtasks: { ...SUBTASKS, atOnce: 2 },
    driverFor: async (model: string) => drivers.get(model) ?? playedDriver([]),
  };
  const test = await testRun(playedDriver([]), [TASK, look], options);
  let seen = 0;
  let acted: Promise<unknown> | undefined;
  test.runtime.subscribe(() => {
    seen += 1;
    if (seen === count) acted = act(test);
  });
  // A run that is stopped before it begins rejects.
  const result = await test.run('go').catch((error: unknown) => ({ status: toLonghaulError(error).code }));
  await acted;
  const again = await testRun(playedDriver([]), [TASK, look], options);
  return { test, result, again, look, wasReached: acted !== undefined };
}

const isDelivered = (messages: StepRequest['messages']) =>
  JSON.stringify(messages).includes('Result of subtask');

it('leaves nothing running and loses nothing, at whatever event the parent is cancelled', async () => {
  for (let count = 1; ; count += 1) {
    const { test, result, again, wasReached } = await runUntil(count, (each) =>
      each.runtime.cancel(each.sessionId),
    );
    if (!wasReached) break;
    const family = [
      test.sessionId,
      ...(await test.store.listSessions({ parentId: test.sessionId })).map(({ id }) => id),
    ];
    for (const id of family) expect(await test.store.leaseHolder(id)).toBeUndefined();
    expect(['cancelled', 'completed']).toContain(result.status);
    await again.runtime.resume(test.sessionId);
    const parts = (await test.messages()).flatMap(({ parts }) =>
      parts.filter((part) => part.type === 'tool'),
    );
    expect(parts.filter(({ state }) => state === 'running' || state === 'pending')).toEqual([]);
    expect((await test.store.listSessions({ parentId: test.sessionId })).length).toBeLessThanOrEqual(3);
  }
});

it('starts nothing twice and delivers each result once, at whatever event the program stops', async () => {
  for (let count = 1; ; count += 1) {
    const { test, again, look, wasReached } = await runUntil(count, (each) =>
      each.runtime.stop({ graceMs: 0 }),
    );
    const resumed = await again.runtime.resume(test.sessionId);
    if (wasReached) expect(['completed', 'nothing']).toContain(resumed.status);
    const messages = await test.messages();
    const parts = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool'));
    const children = await test.store.listSessions({ parentId: test.sessionId });
    if (parts.length > 0) {
      expect(children).toHaveLength(3);
      expect(parts.map(({ state }) => state)).toEqual(['completed', 'completed', 'completed']);
      expect(look.starts).toBeGreaterThanOrEqual(1);
      const delivered = messages.filter(
        ({ role, parts: own }) => role === 'user' && JSON.stringify(own).includes('Result of subtask'),
      );
      expect(delivered).toHaveLength(1);
    }
    if (!wasReached) break;
  }
});
