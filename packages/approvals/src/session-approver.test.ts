import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interrupted } from '@longhaul/core';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import {
  answer,
  calls,
  type PlayedStep,
  playedDriver,
  type TestRun,
  testRun,
  testTool,
  text,
} from '@longhaul/testing/doubles';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AskMode } from './default-action.ts';
import { createApprovers } from './session-approver.ts';

const RULES = [{ tool: 'publish', action: 'ask' }] as const;
const settings = (ask: AskMode, timeoutMs: number | null = null) => ({
  approverFor: createApprovers({ rules: RULES, ask, timeoutMs }),
});
const CALL = calls({ name: 'publish', input: { command: 'npm publish' }, callId: 'c1' });
const publishTool = () => testTool('publish', () => text('published'));

async function waiting(run: TestRun, count = 1) {
  const open = () => run.runtime.approvals.list(run.sessionId, { open: true });
  await expect.poll(open).toHaveLength(count);
  return open();
}

const outputs = async (run: TestRun) =>
  (await run.messages())
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === 'tool' ? [`${part.state}: ${JSON.stringify(part.output)}`] : []));

describe('asking for approval', () => {
  it('emits a stored request, starts nothing until it is answered, then runs the call once', async () => {
    const tool = publishTool();
    const run = await testRun(playedDriver([CALL, answer('done')]), [tool], settings('wait'));
    const ended = run.run('go');
    const [request] = await waiting(run);
    expect(request).toMatchObject({ callId: 'c1', handle: 'm2.0', args: { command: 'npm publish' } });
    expect(tool.starts).toBe(0);
    await run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'once' });
    expect(await ended).toMatchObject({ status: 'completed', text: 'done' });
    expect(tool.starts).toBe(1);
    expect(run.of('approval:requested')).toHaveLength(1);
    expect(run.of('approval:answered')).toMatchObject([{ callId: 'c1', allowed: true }]);
    await expect(
      run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'deny' }),
    ).resolves.toMatchObject({
      isNew: false,
      approval: { answer: 'once' },
    });
    await expect(run.runtime.approvals.answer(run.sessionId, 'c9', { answer: 'deny' })).rejects.toMatchObject(
      { code: 'not_found' },
    );
  });

  it('passes the reason for a denial to the model', async () => {
    const tool = publishTool();
    const run = await testRun(playedDriver([CALL, answer('ok')]), [tool], settings('wait'));
    const ended = run.run('go');
    await waiting(run);
    await run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'deny', reason: 'Tag it first.' });
    expect((await ended).status).toBe('completed');
    expect(tool.starts).toBe(0);
    expect((await outputs(run))[0]).toContain('error: [{"type":"text","text":"Not allowed: Tag it first.');
  });

  it('remembers always for the same command in this session, even if a provider reuses a call id', async () => {
    const other = calls({ name: 'publish', input: { command: 'npm publish --force' }, callId: 'c1' });
    const tool = publishTool();
    const run = await testRun(playedDriver([CALL, CALL, other, answer('done')]), [tool], settings('wait'));
    const ended = run.run('go');
    await waiting(run);
    await run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'always' });
    const [request] = await waiting(run);
    expect(tool.starts).toBe(2);
    expect(request?.args).toEqual({ command: 'npm publish --force' });
    const say = (handle: string) =>
      run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'once', handle });
    await expect(say('m2.0')).rejects.toMatchObject({ code: 'not_found' });
    expect(tool.starts).toBe(2);
    await say(request?.handle ?? '');
    expect((await ended).status).toBe('completed');
    expect(tool.starts).toBe(3);
  });

  it('asks again for the same command after once and after deny', async () => {
    const steps = ['c1', 'c2', 'c3'].map((callId) =>
      calls({ name: 'publish', input: { command: 'npm publish' }, callId }),
    );
    const tool = publishTool();
    const run = await testRun(playedDriver([...steps, answer('done')]), [tool], settings('wait'));
    const ended = run.run('go');
    for (const [callId, said] of [
      ['c1', 'once'],
      ['c2', 'deny'],
      ['c3', 'once'],
    ] as const) {
      expect(await waiting(run)).toMatchObject([{ callId }]);
      await run.runtime.approvals.answer(run.sessionId, callId, { answer: said });
    }
    expect((await ended).status).toBe('completed');
    expect(tool.starts).toBe(2);
  });

  it.each([
    ["rm '*'", 'rm *'],
    ['echo "x > f"', 'echo x > f'],
    ["echo '$HOME'", 'echo $HOME'],
  ])('asks again if the quotes differ: always for %s does not cover %s', async (first, second) => {
    const tool = publishTool();
    const steps = [first, second].map((command, index) =>
      calls({ name: 'publish', input: { command }, callId: `c${index}` }),
    );
    const run = await testRun(playedDriver([...steps, answer('done')]), [tool], settings('wait'));
    const ended = run.run('go');
    await waiting(run);
    await run.runtime.approvals.answer(run.sessionId, 'c0', { answer: 'always' });
    expect(await waiting(run)).toMatchObject([{ callId: 'c1', args: { command: second } }]);
    expect(tool.starts).toBe(1);
    await run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'once' });
    expect((await ended).status).toBe('completed');
  });

  it('does not count the wait for an answer against the time limit of the run', async () => {
    // Time advances normally, and jumps while the answer is awaited.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    const limits = { steps: null, tokens: null, costUsd: null, minutes: 5 };
    const run = await testRun(playedDriver([CALL, answer('done')]), [publishTool()], {
      ...settings('wait'),
      limits,
    });
    const ended = run.run('go');
    await waiting(run);
    await vi.advanceTimersByTimeAsync(3_600_000);
    await run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'once' });
    expect(await ended).toMatchObject({ status: 'completed', text: 'done' });
  });

  it('refuses after timeoutMs, with the reason in the event', async () => {
    const tool = publishTool();
    const run = await testRun(playedDriver([CALL, answer('ok')]), [tool], settings('wait', 20));
    expect((await run.run('go')).status).toBe('completed');
    expect(tool.starts).toBe(0);
    expect(run.of('approval:answered')).toMatchObject([
      { allowed: false, reason: 'nobody answered within 20 ms' },
    ]);
  });

  it.each([
    ['forward', 86_400_000],
    ['back', -86_400_000],
  ])('refuses after timeoutMs though the clock is set %s during the wait', async (_, step) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const both = calls(
      { name: 'publish', input: { command: 'npm publish a' }, callId: 'c0' },
      { name: 'publish', input: { command: 'npm publish b' }, callId: 'c1' },
    );
    const run = await testRun(playedDriver([both, answer('ok')]), [publishTool()], settings('wait', 60_000));
    const ended = run.run('go');
    await waiting(run, 2);
    vi.setSystemTime(Date.now() + step);
    // The other request looks at the time after each answer.
    await run.runtime.approvals.answer(run.sessionId, 'c0', { answer: 'once' });
    await vi.advanceTimersByTimeAsync(59_000);
    expect(await waiting(run)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await ended).status).toBe('completed');
    expect(run.of('approval:answered')).toMatchObject([
      { callId: 'c0', allowed: true },
      { callId: 'c1', allowed: false, reason: 'nobody answered within 60000 ms' },
    ]);
  });

  it('stops waiting if the run is cancelled, and leaves no open request', async () => {
    const tool = publishTool();
    const run = await testRun(playedDriver([CALL, answer('ok')]), [tool], settings('wait'));
    const controller = new AbortController();
    const ended = run.run('go', { signal: controller.signal });
    await waiting(run);
    controller.abort();
    expect((await ended).status).toBe('cancelled');
    expect(tool.starts).toBe(0);
    await waiting(run, 0);
    expect((await outputs(run))[0]).toContain('interrupted: ');
  });
});

describe('without anybody to answer', () => {
  it('fails with approval_denied if every call needed approval', async () => {
    const tool = publishTool();
    const run = await testRun(playedDriver([CALL, answer('I cannot')]), [tool], settings('deny'));
    const result = await run.run('go');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'approval_denied' } });
    expect(tool.starts).toBe(0);
    expect(await run.runtime.approvals.list(run.sessionId)).toEqual([]);
  });

  it('stops a model that keeps requesting calls that need approval', async () => {
    const asks = (request: number): PlayedStep =>
      calls({ name: 'publish', input: { command: `npm publish ${request}` } });
    const run = await testRun(
      playedDriver([1, 2, 3, 4, 5, 6, 7].map(asks)),
      [publishTool()],
      settings('deny'),
    );
    expect(await run.run('go')).toMatchObject({ status: 'failed', error: { code: 'approval_denied' } });
  });

  it('completes if the model found another way, and allows everything with ask: allow', async () => {
    const other = calls({ name: 'build' });
    const build = testTool('build', () => text('built'));
    const found = await testRun(
      playedDriver([CALL, other, answer('done')]),
      [publishTool(), build],
      settings('deny'),
    );
    expect((await found.run('go')).status).toBe('completed');
    const tool = publishTool();
    const allowed = await testRun(playedDriver([CALL, answer('done')]), [tool], settings('allow'));
    expect((await allowed.run('go')).status).toBe('completed');
    expect(tool.starts).toBe(1);
  });
});

describe('a request whose process stops', () => {
  async function withStore(
    check: (open: () => ReturnType<typeof openSqliteStore>) => Promise<void>,
  ): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'longhaul-approvals-'));
    try {
      await check(() => openSqliteStore({ path: join(folder, 'a.db') }));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  it.each([
    ['answered while nothing runs', true],
    ['answered after the resume', false],
  ])('is open again after its process was stopped: %s', async (_, answeredBefore) => {
    await withStore(async (open) => {
      await using store = await open();
      const tool = publishTool();
      const run = await testRun(playedDriver([CALL, answer('done')]), [tool], {
        ...settings('wait'),
        store,
      });
      const controller = new AbortController();
      const stopped = run.run('go', { signal: controller.signal });
      await waiting(run);
      controller.abort(interrupted());
      expect((await stopped).status).toBe('interrupted');
      expect((await outputs(run))[0]).toContain('pending: ');
      const say = () => run.runtime.approvals.answer(run.sessionId, 'c1', { answer: 'once' });
      if (answeredBefore) await say();
      const ended = run.run();
      if (!answeredBefore) {
        await waiting(run);
        await say();
      }
      expect(await ended).toMatchObject({ status: 'completed', text: 'done' });
      expect(tool.starts).toBe(1);
      expect(run.of('approval:requested')).toHaveLength(1);
      expect((await outputs(run))[0]).toContain('completed: ');
    });
  });

  it('lets a program stop at once, without waiting for the grace period', async () => {
    await withStore(async (open) => {
      await using store = await open();
      const tool = publishTool();
      const run = await testRun(playedDriver([CALL, answer('done')]), [tool], {
        ...settings('wait'),
        store,
      });
      const ended = run.run('go');
      await waiting(run);
      await run.runtime.stop({ graceMs: 3_600_000 });
      expect((await ended).status).toBe('interrupted');
      expect((await outputs(run))[0]).toContain('pending: ');
      await waiting(run);
      expect(tool.starts).toBe(0);
    });
  });

  it('receives an answer given through another connection to the database', async () => {
    await withStore(async (open) => {
      await using store = await open();
      await using other = await open();
      const tool = publishTool();
      const run = await testRun(playedDriver([CALL, answer('done')]), [tool], {
        ...settings('wait'),
        store,
      });
      const ended = run.run('go');
      await waiting(run);
      await other.answerApproval(run.sessionId, 'c1', { answer: 'once' });
      expect((await ended).status).toBe('completed');
      expect(tool.starts).toBe(1);
    });
  });

  it('asks in local for calls that change something if somebody can answer, but not for reads', async () => {
    const read = testTool('read', () => text('text'));
    const write = testTool('write', () => text('written'));
    const both = calls({ name: 'read', callId: 'r' }, { name: 'write', callId: 'w' });
    const approverFor = createApprovers({ rules: [], ask: 'wait', timeoutMs: null });
    const run = await testRun(playedDriver([both, answer('done')]), [read, write], { approverFor });
    const ended = run.run('go');
    const [request] = await waiting(run);
    expect(request?.callId).toBe('w');
    await run.runtime.approvals.answer(run.sessionId, 'w', { answer: 'once' });
    expect((await ended).status).toBe('completed');
    expect([read.starts, write.starts]).toEqual([1, 1]);
  });
});
