import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LonghaulEvent } from '@longhaul/protocol';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createMemoryStore } from '@longhaul/storage/memory';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import {
  answer,
  calls,
  createIdleSandbox,
  failure,
  type PlayedStep,
  playedDriver,
  type TestRun,
  testRun,
  testTool,
  text,
} from '@longhaul/testing/doubles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processStat } from '../../host-processes.ts';
import { ALLOW_ALL } from '../../ports/approver.ts';
import type { DriverFor, StepEvent, StepRequest, Store } from '../../ports/index.ts';
import { Runtime } from '../../runtime.ts';
import { newId } from '../ids.ts';
import { currentOwner } from '../leases/lease-owner.ts';
import { takeSession } from '../leases/take-session.ts';
import { sessionState } from '../session-state.ts';

let folder = '';
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-runs-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const textOf = (value: string) => [{ type: 'text' as const, text: value }];

/** Two programs on one database, each with its own connection. `near` runs the played steps. */
async function twoPrograms(steps: readonly PlayedStep[], tools: Parameters<typeof testRun>[1] = []) {
  count += 1;
  const path = join(folder, `${count}.db`);
  const nearStore = await openSqliteStore({ path });
  const farStore = await openSqliteStore({ path });
  const near = await testRun(playedDriver(steps), tools, { store: nearStore });
  const far = await farRuntime(farStore, [answer('From afar.')]);
  return {
    near,
    far,
    farStore,
    async [Symbol.asyncDispose]() {
      await Promise.all([near.runtime.stop({ graceMs: 0 }), far.stop({ graceMs: 0 })]);
      await nearStore[Symbol.asyncDispose]();
      await farStore[Symbol.asyncDispose]();
    },
  };
}

const numbersOf = (events: readonly LonghaulEvent[]) => events.flatMap(({ number }) => number ?? []);

async function farRuntime(store: Store, steps: readonly PlayedStep[]): Promise<Runtime> {
  const { ReactiveOverflowStrategy } = await import('@longhaul/context/engine');
  return new Runtime({
    approverFor: () => ALLOW_ALL,
    store,
    blobs: createMemoryBlobStore(),
    tools: [],
    openSandbox: async () => createIdleSandbox(),
    driverFor: async () => playedDriver(steps),
    summariserFor: async () => undefined,
    compression: { strategy: new ReactiveOverflowStrategy(), auto: true, ledgerShare: 0.2 },
  });
}

/** Begins an answer, calls `onBegun`, and waits until the request is aborted or `go` resolves. */
function hangs(onBegun: () => void, go: Promise<void> = new Promise(() => {})) {
  return async function* (request: StepRequest): AsyncGenerator<StepEvent> {
    yield { type: 'text-start', id: 't' };
    yield { type: 'text-delta', id: 't', text: 'half an answer' };
    onBegun();
    await Promise.race([go, aborted(request.signal)]);
    if (request.signal.aborted) return yield failure('cancelled', 'aborted');
    yield { type: 'text-end', id: 't' };
    yield { type: 'finish', finishReason: 'stop' };
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Leaves the session like a killed process: a dead process holds its lease. */
async function killedRun(
  { store, sessionId }: TestRun,
  work: (lease: { sessionId: string; runId: string; epoch: number }) => Promise<void>,
) {
  const owner = { ...currentOwner(), processStartedAt: 'another process' };
  const taken = await store.acquireLease(sessionId, {
    runId: 'dead',
    owner,
    ttlMs: 30_000,
    isAlive: () => true,
  });
  await store.appendEvents(taken.lease, [{ type: 'run:started', runId: 'dead', task: 't', model: 'm' }]);
  await work(taken.lease);
}

describe('a cancel', () => {
  it('stops the model stream, keeps the partial text, and resolves after the run has ended', async () => {
    const begun = gate();
    const test = await testRun(playedDriver([hangs(begun.open)]));
    const running = test.run('do it');
    await begun.opened;
    await test.runtime.send(test.sessionId, textOf('later'));
    const outcome = await test.runtime.cancel(test.sessionId);
    expect(outcome).toEqual({ wasRunning: true, clearedMessages: 0 });
    expect(test.closedSandboxes()).toBe(1);
    expect(test.of('run:finished')).toMatchObject([{ status: 'cancelled', text: 'half an answer' }]);
    const emitted = test.events.length;
    expect(await running).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
    expect(test.events.length).toBe(emitted);
    expect((await test.messages()).at(-1)).toMatchObject({
      status: 'interrupted',
      parts: [{ text: 'half an answer', state: 'interrupted' }],
    });
    expect(await test.runtime.queue.pendingCount(test.sessionId)).toBe(1);
  });

  it('clears the queue of an idle session with clearQueue', async () => {
    const test = await testRun(playedDriver([]));
    await test.runtime.send(test.sessionId, textOf('one'));
    await test.runtime.send(test.sessionId, textOf('two'));
    expect(await test.runtime.cancel(test.sessionId, { clearQueue: true })).toEqual({
      wasRunning: false,
      clearedMessages: 2,
    });
    await expect(test.runtime.cancel('absent')).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('ends the wait for a model that is being loaded, without a run', async () => {
    const asked = gate();
    let signal: AbortSignal | undefined;
    const driverFor: DriverFor = async (_model, given) => {
      signal = given;
      asked.open();
      return await new Promise(() => {});
    };
    const test = await testRun(playedDriver([]), [], { driverFor });
    const running = test.run('do it');
    await asked.opened;
    expect(await test.runtime.cancel(test.sessionId)).toMatchObject({ wasRunning: true });
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    expect(signal?.aborted).toBe(true);
    expect(test.of('run:started')).toEqual([]);
    expect(await test.store.leaseHolder(test.sessionId)).toBeUndefined();
    expect(await test.runtime.queue.pendingCount(test.sessionId)).toBe(1);

    const resumed = test.runtime.resume(test.sessionId);
    await test.runtime.stop();
    await expect(resumed).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('ends the wait before a retry', async () => {
    const failed = gate();
    const step = () => {
      failed.open();
      return [failure('provider_overloaded', 'busy', { data: { retryAfterMs: 4_000 } })];
    };
    const test = await testRun(playedDriver([step]));
    const running = test.run('do it');
    await failed.opened;
    await test.runtime.cancel(test.sessionId);
    expect(await running).toMatchObject({ status: 'cancelled' });
    expect(test.of('run:finished')).toHaveLength(1);
  });

  it('stops a summary call, and leaves the log unchanged', async () => {
    const asked = gate();
    const summariser = playedDriver([hangs(asked.open)]);
    const long = answer('word '.repeat(9_000));
    const test = await testRun(playedDriver([long, answer('short'), answer('short')]), [], {
      summariserFor: async () => summariser,
    });
    await test.run('one');
    await test.run('two');
    await test.run('three');
    const compaction = test.runtime.compact(test.sessionId);
    const refused = expect(compaction).rejects.toMatchObject({ code: 'cancelled' });
    await asked.opened;
    expect(await test.runtime.cancel(test.sessionId)).toMatchObject({ wasRunning: true });
    await refused;
    expect((await test.store.loadLog(test.sessionId)).marks).toEqual([]);
  });

  it('interrupts parallel tools and starts none again', async () => {
    let started = 0;
    const both = gate();
    const slow = testTool('slow', async (_input, { signal }) => {
      started += 1;
      if (started === 2) both.open();
      await aborted(signal);
      return text('stopped', { isError: true });
    });
    const test = await testRun(playedDriver([calls({ name: 'slow' }, { name: 'slow', callId: 'b' })]), [
      slow,
    ]);
    const running = test.run('do it');
    await both.opened;
    await test.runtime.cancel(test.sessionId);
    await running;
    expect((await test.messages()).at(-1)?.parts).toMatchObject([
      { state: 'interrupted' },
      { state: 'interrupted' },
    ]);
    expect(slow.starts).toBe(2);
  });

  it('stops a run of another program, and resolves when it has ended there', async () => {
    const begun = gate();
    await using programs = await twoPrograms([hangs(begun.open)]);
    const { near, far } = programs;
    const running = near.run('do it');
    await begun.opened;
    expect(await far.cancel(near.sessionId)).toEqual({ wasRunning: true, clearedMessages: 0 });
    expect(near.closedSandboxes()).toBe(1);
    expect(near.of('run:finished')).toMatchObject([{ status: 'cancelled' }]);
    expect(await running).toMatchObject({ status: 'cancelled' });
    expect(await far.cancel(near.sessionId)).toEqual({ wasRunning: false, clearedMessages: 0 });
  });

  it("stores the end of a dead process's run", async () => {
    const test = await testRun(playedDriver([]));
    await killedRun(test, async () => {});
    expect(await test.runtime.cancel(test.sessionId)).toEqual({ wasRunning: false, clearedMessages: 0 });
    expect(test.of('run:finished')).toMatchObject([{ runId: 'dead', status: 'interrupted' }]);
    expect(await test.store.leaseHolder(test.sessionId)).toBeUndefined();
  });
});

describe('a cancel of a process that does not answer', () => {
  /** Leaves the session held by another process, which exists and does nothing. */
  async function heldByAnother() {
    const test = await testRun(playedDriver([answer('Continued.')]));
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const { pid = 0 } = child;
    const owner = { ...currentOwner(), pid, processStartedAt: processStat(pid)?.startedAt ?? '' };
    const hold = (held = owner) =>
      test.store.acquireLease(test.sessionId, {
        runId: 'hung',
        owner: held,
        ttlMs: 30_000,
        isAlive: () => true,
      });
    return {
      ...test,
      child,
      pid,
      owner,
      hold,
      async [Symbol.asyncDispose]() {
        const ended = child.exitCode ?? child.signalCode ?? once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      },
    };
  }

  it('reports it as hung, and leaves the process, the lease and the queue', async () => {
    await using test = await heldByAnother();
    await test.hold();
    await test.runtime.send(test.sessionId, textOf('later'));
    const refused = test.runtime.cancel(test.sessionId, { answerWithinMs: 20 });
    await expect(refused).rejects.toMatchObject({
      code: 'process_hung',
      message: expect.stringMatching(
        `process ${test.pid} does not answer.*\\\`longhaul cancel ${test.sessionId} --force\\\``,
      ),
    });
    expect(test.child.exitCode ?? test.child.signalCode).toBeNull();
    expect(await test.store.leaseHolder(test.sessionId)).toMatchObject({ runId: 'hung' });
    expect(await test.runtime.queue.pendingCount(test.sessionId)).toBe(1);
  });

  it('ends it with force, repairs the session, and keeps the queue', async () => {
    await using test = await heldByAnother();
    await test.hold();
    await test.runtime.send(test.sessionId, textOf('later'));
    const result = await test.runtime.cancel(test.sessionId, { force: true, answerWithinMs: 20 });
    expect(result).toEqual({ wasRunning: true, clearedMessages: 0, endedPid: test.pid });
    await expect.poll(() => test.child.signalCode).toBe('SIGKILL');
    expect(test.of('run:finished')).toMatchObject([{ runId: 'hung', status: 'interrupted' }]);
    expect(await test.store.hasCancelRequest('hung')).toBe(false);
    expect(await test.runtime.resume(test.sessionId)).toMatchObject({ text: 'Continued.' });
    expect((await test.messages()).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('never ends a process that has the pid of a dead owner, nor one of another host', async () => {
    await using test = await heldByAnother();
    await test.hold({ ...test.owner, processStartedAt: '1' });
    const force = { force: true, answerWithinMs: 20 };
    expect(await test.runtime.cancel(test.sessionId, force)).toMatchObject({ wasRunning: false });
    await test.store.acquireLease(test.sessionId, {
      runId: 'far',
      owner: { ...test.owner, host: 'elsewhere' },
      ttlMs: 30_000,
      isAlive: () => true,
    });
    await expect(test.runtime.cancel(test.sessionId, force)).rejects.toMatchObject({
      code: 'process_hung',
      message: expect.stringContaining('It runs on elsewhere: end it there.'),
    });
    expect(test.child.exitCode ?? test.child.signalCode).toBeNull();
  });

  it('waits for a process that has seen the request and takes long to stop', async () => {
    const begun = gate();
    const stops = gate();
    const slow = testTool('slow', async (_input, { signal }) => {
      begun.open();
      await aborted(signal);
      await stops.opened;
      return text('stopped');
    });
    await using programs = await twoPrograms([calls({ name: 'slow' })], [slow]);
    const { near, far, farStore } = programs;
    const running = near.run('do it');
    await begun.opened;
    const before = await farStore.leaseHolder(near.sessionId);
    const cancelling = far.cancel(near.sessionId, { answerWithinMs: 400 });
    await expect
      .poll(async () => (await farStore.leaseHolder(near.sessionId))?.expiresAt)
      .not.toBe(before?.expiresAt);
    await new Promise((resolve) => setTimeout(resolve, 600));
    stops.open();
    expect(await cancelling).toEqual({ wasRunning: true, clearedMessages: 0 });
    await running;
  });
});

describe('a resume', () => {
  it('closes the open parts of a killed process, reports them, and starts no call again', async () => {
    const tool = testTool('once', () => text('done'));
    const test = await testRun(playedDriver([answer('Finished.')]), [tool]);
    await killedRun(test, async (lease) => {
      const message = {
        id: 'm-dead',
        role: 'assistant',
        status: 'running',
        createdAt: Date.now(),
        tokenCount: 0,
      } as const;
      const call = { type: 'tool', name: 'once', input: {} } as const;
      await test.store.appendMessage(lease, {
        ...message,
        parts: [
          { type: 'text', text: 'so', state: 'running' },
          { ...call, callId: 'a', state: 'running' },
          { ...call, callId: 'b', state: 'pending' },
        ],
      });
    });
    expect(await test.runtime.resume(test.sessionId)).toMatchObject({
      status: 'completed',
      text: 'Finished.',
    });
    expect(tool.starts).toBe(0);
    const kinds = test.events.map((event) => event.type).filter((type) => type.startsWith('run:'));
    expect(kinds).toEqual(['run:finished', 'run:repaired', 'run:started', 'run:finished']);
    expect(test.of('run:finished')[0]).toMatchObject({ runId: 'dead', status: 'interrupted', text: 'so' });
    expect(test.of('run:repaired')).toMatchObject([
      { runIds: ['dead'], unknownCalls: 1, unstartedCalls: 1, partialText: true },
    ]);
    expect(test.of('run:repaired')[0]?.message).toContain('1 call whose outcome is unknown');
  });

  it('continues an incomplete answer with a synthetic user message', async () => {
    const driver = playedDriver([answer(' and the rest')]);
    const test = await testRun(driver);
    await killedRun(test, async (lease) => {
      const base = { status: 'running', createdAt: Date.now(), tokenCount: 0 } as const;
      await test.store.appendMessage(lease, {
        ...base,
        id: 'u',
        role: 'user',
        status: 'done',
        parts: [{ type: 'text', text: 'go', state: 'done' }],
      });
      await test.store.appendMessage(lease, {
        ...base,
        id: 'a',
        role: 'assistant',
        parts: [{ type: 'text', text: 'half', state: 'running' }],
      });
    });
    await test.runtime.resume(test.sessionId);
    expect(driver.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect((await test.messages())[2]).toMatchObject({
      role: 'user',
      metadata: { synthetic: 'continue-cut' },
    });
  });

  it('does not call the model when the last turn is answered and the queue is empty', async () => {
    const driver = playedDriver([answer('Done.'), answer('More.')]);
    const test = await testRun(driver);
    expect(await test.runtime.resume(test.sessionId)).toEqual({ status: 'nothing' });
    await test.run('do it');
    const before = test.events.length;
    expect(await test.runtime.resume(test.sessionId)).toEqual({ status: 'nothing' });
    expect(driver.requests).toHaveLength(1);
    expect(test.events.length).toBe(before);
    expect(await test.store.getSession(test.sessionId)).toMatchObject({ status: 'completed' });
    await test.runtime.send(test.sessionId, textOf('and this'));
    expect(await test.runtime.resume(test.sessionId)).toMatchObject({ status: 'completed', text: 'More.' });
  });

  it('throws session_busy with the holder when another program runs the session', async () => {
    const begun = gate();
    await using programs = await twoPrograms([hangs(begun.open)]);
    void programs.near.run('do it');
    await begun.opened;
    await expect(programs.far.run(programs.near.sessionId)).rejects.toMatchObject({
      code: 'session_busy',
      data: { pid: process.pid, runId: expect.any(String) },
    });
  });

  it('of a fork does not change the source', async () => {
    const test = await testRun(playedDriver([answer('One.'), answer('Two.'), answer('Other.')]));
    await test.run('first');
    await test.run('second');
    const fork = await test.runtime.fork(test.sessionId, { at: 2, title: 'Another way' });
    expect(fork).toMatchObject({ title: 'Another way', model: 'played/test', status: 'active' });
    const { title = '' } = (await test.store.getSession(test.sessionId)) ?? {};
    const copy = await test.runtime.fork(test.sessionId);
    expect(copy.title).toBe(`${title} (copy)`);
    expect((await test.runtime.fork(copy.id)).title).toBe(`${title} (copy 2)`);
    const result = await test.runtime.run(fork.id, { content: textOf('instead') });
    expect(result.text).toBe('Other.');
    expect((await test.store.loadLog(fork.id)).messages.map(({ sequence }) => sequence)).toEqual([
      1, 2, 3, 4,
    ]);
    expect(await test.messages()).toHaveLength(4);
    await expect(test.runtime.fork(test.sessionId, { at: 9 })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a run whose message another program takes first', () => {
  it('returns the answer of that program and does not call its model', async () => {
    count += 1;
    const path = join(folder, `${count}.db`);
    await using farStore = await openSqliteStore({ path });
    const far = await farRuntime(farStore, [answer('From afar.')]);
    await using opened = await openSqliteStore({ path });
    const nearStore: Store = {
      ...opened,
      enqueue: async (...args) => {
        const stored = await opened.enqueue(...args);
        await far.resume(args[0]);
        return stored;
      },
    };
    const near = await testRun(playedDriver([answer('Once more.')]), [], { store: nearStore });
    expect(await near.run('do it')).toMatchObject({ status: 'completed', text: 'From afar.' });
    expect((await near.messages()).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('waits for the answer if that program takes the session between its message and its run', async () => {
    count += 1;
    const path = join(folder, `${count}.db`);
    await using farStore = await openSqliteStore({ path });
    const [begun, lost] = [gate(), gate()];
    const far = await farRuntime(farStore, [hangs(begun.open, lost.opened), answer('For both.')]);
    await using opened = await openSqliteStore({ path });
    let theirs: Promise<unknown> | undefined;
    const nearStore: Store = {
      ...opened,
      acquireLease: async (sessionId, claim) => {
        // Both have found the session idle. The other program is faster.
        theirs ??= far.run(sessionId, { content: textOf('theirs') });
        await begun.opened;
        return opened.acquireLease(sessionId, claim).finally(lost.open);
      },
    };
    const model = playedDriver([answer('Never.')]);
    const near = await testRun(model, [], { store: nearStore });
    const outcome = await near.run('ours');
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(await theirs).toEqual(outcome);
    expect(model.requests).toEqual([]);
    const texts = (await near.messages()).flatMap(({ role, parts }) =>
      role === 'user' ? parts.map((part) => (part.type === 'text' ? part.text : '')) : [],
    );
    expect(
      texts
        .join()
        .match(/ours|theirs/g)
        ?.toSorted(),
    ).toEqual(['ours', 'theirs']);
    expect(await near.store.listQueue(near.sessionId)).toEqual([]);
  });
});

describe('sendAndWait', () => {
  it('runs an idle session and returns its answer', async () => {
    const test = await testRun(playedDriver([answer('Hello.')]));
    const result = await test.runtime.sendAndWait(test.sessionId, textOf('hi'), { id: 'q1' });
    expect(result).toMatchObject({ status: 'completed', text: 'Hello.', stepCount: 1 });
    const again = await test.runtime.sendAndWait(test.sessionId, textOf('hi'), { id: 'q1' });
    expect(again).toEqual(result);
    expect(test.of('run:finished')).toHaveLength(1);
  });

  it('returns the answer of the run that took the message to all callers, in both programs', async () => {
    const begun = gate();
    const go = gate();
    await using programs = await twoPrograms([hangs(begun.open, go.opened), answer('For all of you.')]);
    const { near, far } = programs;
    const first = near.runtime.sendAndWait(near.sessionId, textOf('zero'));
    await begun.opened;
    const waiting = [
      near.runtime.sendAndWait(near.sessionId, textOf('one')),
      far.sendAndWait(near.sessionId, textOf('two')),
      far.sendAndWait(near.sessionId, textOf('three')),
    ];
    await expect.poll(() => near.of('message:queued').length).toBe(4);
    go.open();
    for (const result of await Promise.all(waiting)) {
      expect(result).toMatchObject({ status: 'completed', text: 'For all of you.' });
    }
    expect((await first).text).toBe('For all of you.');
    expect(near.of('run:finished')).toHaveLength(1);
  });

  it('throws cancelled when the run is cancelled, and keeps a message that was not taken', async () => {
    const begun = gate();
    const test = await testRun(playedDriver([hangs(begun.open), answer('Later.')]));
    const taken = test.runtime.sendAndWait(test.sessionId, textOf('one'));
    await begun.opened;
    const second = test.runtime.sendAndWait(test.sessionId, textOf('two'), { id: 'q2' });
    await expect.poll(() => test.of('message:queued').length).toBe(2);
    const outcomes = Promise.allSettled([taken, second]);
    await test.runtime.cancel(test.sessionId);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'cancelled' } });
    }
    expect(await test.runtime.queue.pendingCount(test.sessionId)).toBe(1);
    const retried = await test.runtime.sendAndWait(test.sessionId, textOf('two'), { id: 'q2' });
    expect(retried).toMatchObject({ status: 'completed', text: 'Later.' });
  });

  it('runs the session when the run before its message has failed', async () => {
    const begun = gate();
    const go = gate();
    const fails = async function* (): AsyncGenerator<StepEvent> {
      begun.open();
      await go.opened;
      yield failure('provider_auth', 'no key');
    };
    const test = await testRun(playedDriver([fails, answer('Mine.')]));
    const first = test.run('one');
    await begun.opened;
    const second = test.runtime.sendAndWait(test.sessionId, textOf('two'));
    await expect.poll(() => test.of('message:queued').length).toBe(2);
    go.open();
    expect(await first).toMatchObject({ status: 'failed' });
    expect(await second).toMatchObject({ status: 'completed', text: 'Mine.' });
  });

  it('throws cancelled when its message is removed or its signal aborts, without ending the run', async () => {
    const begun = gate();
    const go = gate();
    const test = await testRun(playedDriver([hangs(begun.open, go.opened)]));
    const leaving = new AbortController();
    const first = test.runtime.sendAndWait(test.sessionId, textOf('one'), { signal: leaving.signal });
    await begun.opened;
    leaving.abort();
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    const removed = test.runtime.sendAndWait(test.sessionId, textOf('two'), { id: 'q2' });
    await expect.poll(() => test.of('message:queued').length).toBe(2);
    await test.runtime.queue.remove(test.sessionId, 'q2');
    go.open();
    await expect(removed).rejects.toMatchObject({ code: 'cancelled' });
    expect(test.of('run:finished')).toMatchObject([{ status: 'completed' }]);
  });

  it('does not count as interrupted after a run that had nothing to do', async () => {
    const { store, sessionId } = await testRun(playedDriver([]));
    const lease = await takeSession(store, sessionId, { runId: newId(), patienceMs: 0 });
    const end = { sessionStatus: 'active', onlyIfQueueEmpty: false, events: [] } as const;
    await store.finishRun(lease, { ...end, status: 'completed' });
    expect(await sessionState(store, { id: sessionId, status: 'active' })).toBe('active');
    const next = await takeSession(store, sessionId, { runId: newId(), patienceMs: 0 });
    await store.finishRun(next, { ...end, status: 'limit' });
    expect(await sessionState(store, { id: sessionId, status: 'active' })).toBe('interrupted');
  });
});

describe('a program that stops', () => {
  it('finishes the current step, then leaves the session resumable', async () => {
    const begun = gate();
    const go = gate();
    const tool = testTool('work', async () => {
      begun.open();
      await go.opened;
      return text('worked');
    });
    const test = await testRun(playedDriver([calls({ name: 'work' }), answer('Done.')]), [tool]);
    const running = test.run('do it');
    await begun.opened;
    const stopped = test.runtime.stop({ graceMs: 60_000 });
    await expect(test.runtime.run(test.sessionId)).rejects.toMatchObject({ code: 'interrupted' });
    go.open();
    await stopped;
    expect(await running).toMatchObject({
      status: 'interrupted',
      stepCount: 1,
      error: { code: 'interrupted' },
    });
    expect((await test.messages()).at(-1)?.parts).toMatchObject([{ state: 'completed' }]);
    expect(await test.store.getSession(test.sessionId)).toMatchObject({ status: 'active' });
    const next = await farRuntime(test.store, [answer('Continued.')]);
    expect(await next.resume(test.sessionId)).toMatchObject({ status: 'completed', text: 'Continued.' });
  });

  it('ends a step that takes longer than graceMs as interrupted, not as cancelled', async () => {
    const begun = gate();
    const test = await testRun(playedDriver([hangs(begun.open)]));
    const running = test.run('do it');
    await begun.opened;
    await test.runtime.stop({ graceMs: 10 });
    expect(await running).toMatchObject({ status: 'interrupted', text: 'half an answer' });
    expect((await test.messages()).at(-1)?.parts).toMatchObject([{ text: 'half an answer' }]);
    expect(test.of('run:finished')).toMatchObject([{ status: 'interrupted', error: { retryable: true } }]);
  });
});

describe('a run whose session another program has taken', () => {
  it('ends as interrupted when its next write is refused, and stores nothing', async () => {
    let uptime = 0;
    const store = createMemoryStore({ uptime: () => uptime });
    const far = await farRuntime(store, [answer('From afar.')]);
    const tool = testTool('work', async () => {
      // As if this program had been stopped for an hour.
      uptime += 3_600_000;
      expect(await far.resume(test.sessionId)).toMatchObject({ status: 'completed', text: 'From afar.' });
      return text('worked');
    });
    const test = await testRun(playedDriver([calls({ name: 'work' })]), [tool], { store });
    const message = expect.stringContaining('Another process took over the session');
    expect(await test.run('do it')).toMatchObject({
      status: 'interrupted',
      error: { code: 'interrupted', message },
    });
    // The other program's events are emitted too.
    const ends = test.of('run:finished').filter(({ number }) => number === undefined);
    expect(ends).toMatchObject([{ status: 'interrupted', error: { message } }]);
    expect((await test.messages()).map(({ parts }) => parts)).toMatchObject([
      [{ type: 'text' }],
      [{ type: 'tool', state: 'interrupted' }],
      [{ text: 'From afar.' }],
    ]);
  });
});

describe('an event of another program', () => {
  it('is emitted once to followers of the session', async () => {
    const begun = gate();
    const go = gate();
    await using programs = await twoPrograms([hangs(begun.open, go.opened), answer('Read it.')]);
    const { near, far } = programs;
    const afar: LonghaulEvent[] = [];
    far.subscribe((event) => afar.push(event));
    await using _follow = await far.follow(near.sessionId);
    const running = near.run('do it');
    await begun.opened;
    await far.send(near.sessionId, textOf('from afar'));
    await expect.poll(() => near.of('message:queued').length).toBe(2);
    go.open();
    await running;
    await expect.poll(() => afar.at(-1)).toMatchObject({ type: 'session:status', status: 'idle' });
    const all = numbersOf(await programs.farStore.readEvents(near.sessionId));
    expect(numbersOf(afar)).toEqual(all);
    expect(numbersOf(near.events)).toEqual(all);
    expect(near.of('message:dequeued').map(({ count }) => count)).toEqual([1, 1]);
  });

  it('is emitted once if this program stores an event while `follow` begins', async () => {
    const { runtime, store, sessionId, events } = await testRun(playedDriver([]));
    const lastEventNumber = store.lastEventNumber.bind(store);
    store.lastEventNumber = async (id) => {
      const last = await lastEventNumber(id);
      await runtime.send(id, textOf('meanwhile'));
      return last;
    };
    {
      await using _follow = await runtime.follow(sessionId);
      await runtime.send(sessionId, textOf('then'));
    }
    expect(numbersOf(events)).toEqual([1, 2]);
  });

  it('is emitted if it is stored while `follow` begins: it waited for the next change', async () => {
    await using programs = await twoPrograms([]);
    const { near, far } = programs;
    const lastEventNumber = near.store.lastEventNumber.bind(near.store);
    near.store.lastEventNumber = async (id) => {
      const last = await lastEventNumber(id);
      await far.send(id, textOf('from afar'));
      return last;
    };
    await using _follow = await near.runtime.follow(near.sessionId);
    await expect.poll(() => numbersOf(near.events)).toEqual([1]);
  });

  it('is emitted up to the last one if the answer is read before the change is noticed', async () => {
    const begun = gate();
    const go = gate();
    await using programs = await twoPrograms([hangs(begun.open, go.opened), answer('For you.')]);
    const { near, far, farStore } = programs;
    farStore.watch = () => ({ [Symbol.dispose]: () => {} });
    const afar: LonghaulEvent[] = [];
    far.subscribe((event) => afar.push(event));
    const running = near.run('do it');
    await begun.opened;
    const waiting = far.sendAndWait(near.sessionId, textOf('from afar'));
    await expect.poll(() => near.of('message:queued').length).toBe(2);
    go.open();
    expect(await waiting).toMatchObject({ text: 'For you.' });
    expect(afar.at(-1)).toMatchObject({ type: 'session:status', status: 'idle' });
    await running;
  });

  it('is emitted before the events that it causes when the run continues at once', async () => {
    const begun = gate();
    const go = gate();
    await using programs = await twoPrograms([hangs(begun.open, go.opened), answer('Read them.')]);
    const { near, far } = programs;
    const running = near.run('do it');
    await begun.opened;
    await far.send(near.sessionId, textOf('one'));
    await far.send(near.sessionId, textOf('two'));
    go.open();
    await running;
    expect(near.of('message:queued')).toHaveLength(3);
    expect(numbersOf(near.events)).toEqual(numbersOf(await programs.farStore.readEvents(near.sessionId)));
    expect(near.events.at(-1)).toMatchObject({ type: 'session:status', status: 'idle' });
  });
});
