import { createHash } from 'node:crypto';
import { buildView } from '@longhaul/context/engine';
import type { Session } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import {
  answer,
  calls,
  playedDriver,
  type TestRun,
  testRun,
  testTool,
  text,
  usageOf,
} from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';
import type { Store } from '../ports/index.ts';

const STORES: [string, () => Promise<Store>][] = [
  ['memory', async () => createMemoryStore()],
  ['sqlite', () => openSqliteStore({ path: ':memory:' })],
];

/** Runs a session with one long turn of `steps` tool calls, of about 600 tokens each. */
async function workedSession(store: Store, steps = 12): Promise<TestRun> {
  const look = testTool('look', () => text(`function found() {}\n${'some words of a file\n'.repeat(100)}`));
  const plan = Array.from({ length: steps }, (_, index) =>
    calls({ name: 'look', callId: `c${index}`, input: { path: `src/file-${index}.ts` } }),
  );
  const test = await testRun(playedDriver([...plan, answer('All seen.')]), [look], {
    store,
    budgetNotes: false,
  });
  await test.run('Look at every file. Never touch the schema.');
  return test;
}

/** The same session, on a store that refuses to load the whole log. */
async function withoutLog({ store, sessionId }: TestRun): Promise<TestRun> {
  const refusing: Store = Object.create(store, {
    loadLog: { value: () => Promise.reject(new Error(`The whole log of ${sessionId} was loaded.`)) },
  });
  return testRun(playedDriver([]), [], { store: refusing });
}

/** A hash of the current view, or of its first `entries`. */
async function view(test: TestRun, entries?: number): Promise<string> {
  const messages = buildView(await test.store.loadLog(test.sessionId)).map(({ message }) => message);
  return createHash('sha256')
    .update(JSON.stringify(messages.slice(0, entries)))
    .digest('hex');
}

async function viewLength(test: TestRun): Promise<number> {
  return buildView(await test.store.loadLog(test.sessionId)).length;
}

async function isShown(test: TestRun, callId: string): Promise<boolean> {
  const view = buildView(await test.store.loadLog(test.sessionId));
  return view.some(({ message }) =>
    message.content.some((part) => part.type === 'tool' && part.callId === callId),
  );
}

async function stored(test: TestRun): Promise<string> {
  const log = await test.store.loadLog(test.sessionId);
  const events = await test.store.readEvents(test.sessionId);
  return JSON.stringify([log, events, await test.store.listRuns(test.sessionId)]);
}

describe.each(STORES)('manual operations on the %s store', (_, open) => {
  it('preview returns what would be hidden, and changes nothing', async () => {
    await using store = await open();
    const test = await workedSession(store);
    const before = await stored(test);
    const plan = await test.runtime.compact(test.sessionId, { preview: true });
    if (plan.status !== 'preview') throw new Error(`Unexpected status ${plan.status}.`);
    expect(plan).toMatchObject({ strategy: 'reactive-overflow', round: 1, warnings: [] });
    expect(plan.tokensAfter).toBeLessThan(plan.tokensBefore);
    expect(plan.hides.count).toBeGreaterThan(3);
    expect(plan.hides.ranges[0]).toMatchObject({ from: 'm2' });
    expect(plan.summary.ledger).toContain('file-0.ts');
    expect(await stored(test)).toBe(before);
  });

  it('compact does what its preview returned, and emits the event', async () => {
    await using store = await open();
    const test = await workedSession(store);
    const plan = await test.runtime.compact(test.sessionId, { preview: true });
    const made = await test.runtime.compact(test.sessionId);
    expect(made).toEqual({ ...plan, status: 'compacted' });
    expect(test.of('context:compressed')).toMatchObject([{ reason: 'manual', round: 1 }]);
    expect(test.of('session:status').at(-1)).toMatchObject({ status: 'idle' });
    expect(await store.leaseHolder(test.sessionId)).toBeUndefined();
    expect(await store.getSession(test.sessionId)).toMatchObject({ status: 'completed' });
  });

  it('compact asks the model to keep what a person names', async () => {
    await using store = await open();
    const worked = await workedSession(store);
    const driver = playedDriver([answer('The schema is kept.')]);
    const { runtime } = await testRun(driver, [], { store, summariserFor: async () => driver });
    await runtime.compact(worked.sessionId, { focus: ' the schema ' });
    expect(JSON.stringify(driver.requests.at(-1))).toContain('especially wants to keep: the schema');
  });

  it('lists the size after a compaction, and the former one when it is undone', async () => {
    await using store = await open();
    const test = await workedSession(store);
    const listed = async () => {
      const session = await store.getSession(test.sessionId);
      return session && (await test.runtime.lastMeasureOf(session))?.tokens;
    };
    const full = await listed();
    const made = await test.runtime.compact(test.sessionId);
    if (made.status !== 'compacted') throw new Error(`Unexpected status ${made.status}.`);
    expect(await listed()).toBe(made.tokensAfter);
    await test.runtime.undoCompaction(test.sessionId);
    expect(await listed()).toBeGreaterThanOrEqual(full ?? Number.POSITIVE_INFINITY);
    await test.runtime.compact(test.sessionId);
    await test.run('Continue.');
    const shortened = (await listed()) ?? Number.NaN;
    await test.runtime.undoCompaction(test.sessionId);
    expect(await listed()).toBe(shortened + made.tokensBefore - made.tokensAfter);
  });

  it('undo restores the previous view, twice', async () => {
    await using store = await open();
    const test = await workedSession(store);
    const [first, firstLength] = [await view(test), await viewLength(test)];
    await test.runtime.compact(test.sessionId);
    await test.run(`Mind all of this. ${'words '.repeat(3_000)}`);
    await test.run(`And of this. ${'words '.repeat(3_000)}`);
    const second = await view(test);
    expect(await test.runtime.compact(test.sessionId)).toMatchObject({ status: 'compacted', round: 2 });
    expect(await view(test)).not.toBe(second);
    expect(await test.runtime.undoCompaction(test.sessionId)).toMatchObject({ status: 'undone', round: 2 });
    expect(await view(test)).toBe(second);
    const last = await test.runtime.undoCompaction(test.sessionId);
    expect(last).toMatchObject({ status: 'undone', round: 1, fits: false });
    expect(await view(test, firstLength)).toBe(first);
    expect(await viewLength(test)).toBe(firstLength + 4);
    expect(test.of('context:undone')).toMatchObject([{ round: 2 }, { round: 1 }]);
    expect(await test.runtime.undoCompaction(test.sessionId)).toEqual({ status: 'nothing' });
  });

  it('undo restores the outputs and parts that a compaction pruned and cut', async () => {
    await using store = await open();
    const test = await workedSession(store, 3);
    await test.run(`Mind this:\n${'a long list of wishes '.repeat(1_200)}`);
    const before = await view(test);
    const made = await test.runtime.compact(test.sessionId, { windowTokens: 9_000 });
    expect(made).toMatchObject({ status: 'compacted', cut: expect.any(Number) });
    if (made.status === 'compacted') expect(made.cut + made.pruned).toBeGreaterThan(0);
    expect(await view(test)).not.toBe(before);
    await test.runtime.undoCompaction(test.sessionId);
    expect(await view(test)).toBe(before);
  });

  it('pin shows a hidden message at once, and keeps it through two compactions', async () => {
    await using store = await open();
    const test = await workedSession(store);
    await test.runtime.compact(test.sessionId);
    const shown = () => isShown(test, 'c1');
    expect(await shown()).toBe(false);
    const pinned = await test.runtime.pin(test.sessionId, 'm3.0');
    expect(pinned).toMatchObject({ handle: 'm3', changed: true, wasHidden: true });
    expect(await shown()).toBe(true);
    for (const task of ['More.', 'Still more.']) {
      await test.run(`${task} ${'words '.repeat(2_000)}`);
      await test.runtime.compact(test.sessionId);
      expect(await shown()).toBe(true);
    }
    const log = await store.loadLog(test.sessionId);
    expect(log.marks.filter((mark) => mark.kind === 'compaction').length).toBeGreaterThanOrEqual(3);
    expect(await test.runtime.pin(test.sessionId, pinned.messageId)).toMatchObject({ changed: false });
    expect((await test.runtime.contextOf(test.sessionId)).pins).toMatchObject([{ handle: 'm3' }]);
    expect(await test.runtime.unpin(test.sessionId, 'm3')).toMatchObject({ changed: true });
    expect(await test.runtime.unpin(test.sessionId, 'm3')).toMatchObject({ changed: false });
    await test.run(`And more. ${'words '.repeat(3_000)}`);
    await test.runtime.compact(test.sessionId);
    expect(await shown()).toBe(false);
  });

  it('does not load the whole log: each operation loaded all of a session of months', async () => {
    await using store = await open();
    const test = await workedSession(store);
    await test.runtime.compact(test.sessionId);
    await test.run(`Mind all of this. ${'words '.repeat(3_000)}`);
    await test.run(`And of this. ${'words '.repeat(3_000)}`);
    const away = await withoutLog(test);
    expect((await away.runtime.contextOf(test.sessionId)).hidden).toMatchObject([
      { round: 1, ranges: [{ from: 'm2' }] },
    ]);
    const plan = await away.runtime.compact(test.sessionId, { preview: true });
    const made = await away.runtime.compact(test.sessionId);
    expect(made).toEqual({ ...plan, status: 'compacted' });
    // The ledger has facts from messages that only the first compaction had read.
    expect(made).toMatchObject({ round: 2, summary: { ledger: expect.stringContaining('file-0.ts') } });
    expect(await away.runtime.undoCompaction(test.sessionId)).toMatchObject({ status: 'undone', round: 2 });
    const last = await away.runtime.undoCompaction(test.sessionId);
    const { tokens, messages } = await away.runtime.contextOf(test.sessionId);
    expect(last).toMatchObject({ status: 'undone', round: 1, tokens });
    expect(messages.hidden).toBe(0);
  });

  it('reports what fills the window: the sum of the shares is the request', async () => {
    await using store = await open();
    const test = await workedSession(store);
    const before = await test.runtime.contextOf(test.sessionId);
    expect(before).toMatchObject({
      strategy: 'reactive-overflow',
      window: { source: 'last-run', windowTokens: 16_000, usableTokens: 12_000, triggerTokens: 12_000 },
      messages: { total: 14, visible: 14, hidden: 0 },
      shares: { ledger: 0, narrative: 0, media: 0 },
      hidden: [],
      isTriggerRaised: false,
    });
    expect(before.shares.system).toBeGreaterThan(100);
    expect(before.shares.outputs).toBeGreaterThan(before.tokens / 2);
    await test.runtime.compact(test.sessionId);
    const after = await test.runtime.contextOf(test.sessionId);
    expect(after.shares.ledger).toBeGreaterThan(0);
    expect(after.hidden).toMatchObject([
      { round: 1, reason: 'manual', count: after.messages.hidden, at: after.messages.total },
    ]);
    for (const { tokens, shares } of [before, after]) {
      expect(Object.values(shares).reduce((sum, share) => sum + share)).toBe(tokens);
    }
    await test.runtime.undoCompaction(test.sessionId);
    const undone = await test.runtime.contextOf(test.sessionId);
    expect(undone).toEqual({ ...before, isTriggerRaised: true });
  });
});

describe('manual operations', () => {
  it('return nothing, not an error, if a compaction would save too little', async () => {
    const test = await testRun(playedDriver([answer('Done.')]));
    await test.run('A small thing.');
    expect(await test.runtime.compact(test.sessionId)).toMatchObject({ status: 'nothing' });
    expect(await test.runtime.compact(test.sessionId, { preview: true })).toMatchObject({
      status: 'nothing',
    });
    expect((await test.store.loadLog(test.sessionId)).marks).toEqual([]);
  });

  it('queue a compaction for the next step during a run, and refuse undo and pin', async () => {
    const seen: unknown[] = [];
    let fork: Session | undefined;
    let steps = 0;
    const look = testTool('look', async () => {
      steps += 1;
      if (steps === 10) {
        seen.push(await test.runtime.compact(test.sessionId));
        fork = await test.runtime.fork(test.sessionId);
        for (const attempt of [
          () => test.runtime.undoCompaction(test.sessionId),
          () => test.runtime.pin(test.sessionId, 'm1'),
        ]) {
          seen.push(await attempt().catch((error: unknown) => error));
        }
        seen.push((await test.runtime.contextOf(test.sessionId)).messages.hidden);
      }
      return text('words of a file\n'.repeat(120));
    });
    const plan = Array.from({ length: 12 }, (_, index) => calls({ name: 'look', callId: `c${index}` }));
    const test: TestRun = await testRun(playedDriver([...plan, answer('Done.')]), [look]);
    await test.run('Look.');
    expect(seen).toMatchObject([
      { status: 'queued' },
      { code: 'session_busy' },
      { code: 'session_busy', message: expect.stringContaining('then pin the message') },
      0,
    ]);
    const order = test.events.map((event) => event.type);
    const compressed = order.indexOf('context:compressed');
    expect(test.of('context:compressed')).toMatchObject([{ reason: 'manual' }]);
    expect(order.slice(compressed).filter((type) => type === 'llm:thinking')).toHaveLength(3);
    expect((await test.store.getSession(test.sessionId))?.metadata).toEqual({
      environment: expect.any(String),
    });
    // A fork does not copy the request.
    expect(fork?.metadata).not.toHaveProperty('compactionRequest');
  });

  it('wait after an undo until the window is full, and then warn and compact again', async () => {
    const look = testTool('look', () => text('words of a file\n'.repeat(150)));
    const steps = Array.from({ length: 14 }, (_, index) => calls({ name: 'look', callId: `c${index}` }));
    const early = { kind: 'threshold', percent: 0.3 } as const;
    const { ReactiveOverflowStrategy } = await import('@longhaul/context/engine');
    const own = new ReactiveOverflowStrategy();
    const strategy = {
      name: 'early',
      trigger: early,
      plan: (input: Parameters<typeof own.plan>[0]) => own.plan(input),
    };
    const test = await testRun(playedDriver([...steps, answer('Done.')]), [look], {
      compression: { strategy, auto: true, ledgerShare: 0.2 },
      // The sizes below must not depend on the built-in prompt.
      prompt: 'Look at files, and say what is in them. '.repeat(20),
    });
    await test.run('Look.', {}).catch(() => undefined);
    expect(test.of('context:compressed').length).toBeGreaterThan(0);
    const rounds = test.of('context:compressed').length;
    await test.runtime.undoCompaction(test.sessionId);
    const report = await test.runtime.contextOf(test.sessionId);
    expect(report.window.triggerTokens).toBe(report.window.usableTokens);
    expect(report.tokens).toBeGreaterThan(0.3 * 16_000);
    await test.run('Go on.');
    expect(test.of('context:compressed')).toHaveLength(rounds);
    await test.run(`Read this: ${'many words '.repeat(3_600)}`);
    expect(test.of('context:compressed').length).toBeGreaterThan(rounds);
    expect(test.of('context:warning').map((event) => event.message)).toContain(
      'The newest compaction is undone, and the session no longer fits into the window: compacting again.',
    );
  });

  it('report a message that is shortened, once, with its handle', async () => {
    const test = await testRun(playedDriver([answer('One.'), answer('Two.')]), []);
    await test.run(`START ${'some words here '.repeat(20_000)} END`);
    await test.run(`Again ${'some words here '.repeat(20_000)} END`);
    const warnings = test.of('context:warning').map(({ message }) => message);
    const about = (handle: string) =>
      warnings.filter((message) => message.startsWith(`Message ${handle} is too long for the window`));
    expect(about('m1')).toEqual([
      expect.stringMatching(/ \d+ of 320010 characters\. .* recall \(handle m1\.0\)\.$/),
    ]);
    expect(about('m3')).toHaveLength(1);
  });

  it('leave the session unchanged when a compaction is cancelled', async () => {
    const cancel = new AbortController();
    const driver = playedDriver([
      ...Array.from({ length: 8 }, (_, index) => calls({ name: 'look', callId: `c${index}` })),
      answer('Done.'),
      () => {
        cancel.abort();
        return answer('A narrative.');
      },
    ]);
    const look = testTool('look', () => text('words of a file\n'.repeat(150)));
    const test = await testRun(driver, [look], { summariserFor: async () => driver });
    await test.run('Look.');
    const before = await test.store.loadLog(test.sessionId);
    const cancelled = test.runtime.compact(test.sessionId, { signal: cancel.signal });
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    const after = await test.store.loadLog(test.sessionId);
    expect([after.messages, after.marks, after.session.status]).toEqual([before.messages, [], 'completed']);
    expect(test.of('session:status').at(-1)).toMatchObject({ status: 'idle' });
  });

  it('return the usage of the narrative', async () => {
    const steps = Array.from({ length: 8 }, (_, index) => calls({ name: 'look', callId: `c${index}` }));
    const driver = playedDriver([...steps, answer('Done.'), answer('It looked.', usageOf(5_000, 70))]);
    const look = testTool('look', () => text('words of a file\n'.repeat(150)));
    const test = await testRun(driver, [look], { summariserFor: async () => driver });
    await test.run('Look.');
    expect(await test.runtime.compact(test.sessionId)).toMatchObject({
      status: 'compacted',
      summary: { narrative: 'It looked.' },
      usage: { inputTokens: 5_000, outputTokens: 70 },
    });
    expect(driver.requests.at(-1)?.system).toBe(driver.requests[0]?.system);
  });

  it('compact without a narrative if the model cannot be reached', async () => {
    const test = await workedSession(createMemoryStore());
    const away = await testRun(playedDriver([]), [], {
      store: test.store,
      summariserFor: async () => {
        throw (await import('@longhaul/protocol')).toLonghaulError(new Error('The server is away.'));
      },
    });
    const made = await away.runtime.compact(test.sessionId);
    expect(made).toMatchObject({
      status: 'compacted',
      warnings: [expect.stringContaining('The server is away.')],
    });
  });

  it('throw not_found for an unknown message, and window_unknown without a known window', async () => {
    const test = await testRun(playedDriver([answer('Done.', usageOf(50))]), [], {
      driverFor: async () => {
        const { LonghaulError } = await import('@longhaul/protocol');
        throw new LonghaulError('unknown_model', 'No such model here.');
      },
    });
    await expect(test.runtime.pin(test.sessionId, 'm1')).rejects.toMatchObject({ code: 'not_found' });
    await expect(test.runtime.pin(test.sessionId, 'what?')).rejects.toMatchObject({ code: 'not_found' });
    await expect(test.runtime.contextOf('nowhere')).rejects.toMatchObject({ code: 'session_not_found' });
    await expect(test.runtime.compact(test.sessionId)).rejects.toMatchObject({ code: 'window_unknown' });
    await expect(test.runtime.compact(test.sessionId, { strategy: 'best' })).rejects.toMatchObject({
      code: 'config_invalid',
    });
    const { window, tokens } = await test.runtime.contextOf(test.sessionId);
    expect(window).toEqual({ source: 'unknown' });
    expect(tokens).toBeGreaterThan(0);
    const given = await test.runtime.contextOf(test.sessionId, { windowTokens: 32_000 });
    expect(given.window).toMatchObject({ source: 'given', windowTokens: 32_000, usableTokens: 24_000 });
  });
});
