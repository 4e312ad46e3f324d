import { type Budget, type Budgets, NO_BUDGETS, type TokenUsage } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import {
  answer,
  calls,
  failure,
  type PlayedDriver,
  playedDriver,
  type TestRun,
  testRun,
  testTool,
  text,
  usageOf,
} from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';
import type { StepEvent } from '../ports/index.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** Each call costs ten dollars and has ten thousand tokens. */
const TEN = usageOf(9_990);
const PRICE = { costOf: ({ totalTokens }: TokenUsage) => totalTokens / 1_000 };

function limited(budgets: Partial<Record<keyof Budgets, Partial<Budget>>>): RuntimeOptions['budgetsFor'] {
  const whole = Object.entries(budgets).map(([scope, budget]) => [scope, { ...NO_BUDGETS.day, ...budget }]);
  return () => ({ ...NO_BUDGETS, ...Object.fromEntries(whole) });
}

function open(
  budgets: Parameters<typeof limited>[0],
  options: Partial<RuntimeOptions> = {},
  driver = playedDriver([answer('Done.', TEN)]),
): Promise<TestRun & { driver: PlayedDriver }> {
  return testRun(driver, [], { ...PRICE, budgetsFor: limited(budgets), ...options }).then((test) => ({
    ...test,
    driver,
  }));
}

describe('a budget of a session', () => {
  it('holds over four messages, and a raised one continues with nothing lost', async () => {
    let budgetsFor = limited({ session: { costUsd: 25 } });
    const { driver, ...test } = await open({}, { budgetsFor: (owner) => budgetsFor?.(owner) ?? NO_BUDGETS });
    for (const ask of ['one', 'two', 'three']) expect((await test.run(ask)).status).toBe('completed');
    const fourth = await test.run('four');
    expect(fourth).toMatchObject({
      status: 'limit',
      error: {
        code: 'budget_exceeded',
        message:
          'The budget of this session is spent: $30.00 of $25. Everything so far is kept. To continue, raise it: budgets.session.costUsd.',
        data: { budget: 'session', unit: 'costUsd', spent: 30, limit: 25 },
      },
    });
    expect(driver.requests).toHaveLength(3);
    expect(test.of('budget:exceeded')).toMatchObject([{ budget: 'session', spent: 30, limit: 25 }]);
    budgetsFor = limited({ session: { costUsd: 45 } });
    expect(await test.runtime.resume(test.sessionId)).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(JSON.stringify(driver.requests.at(-1)?.messages)).toContain('four');
  });

  it('warns once a run when 80 % are spent', async () => {
    const test = await open({ session: { tokens: 23_000 } });
    await test.run('one');
    await test.run('two');
    expect(test.of('budget:warning')).toEqual([]);
    await test.run('three');
    expect(test.of('budget:warning')).toMatchObject([
      { message: '86 % of the budget of this session is spent: 20,000 of 23,000 tokens.', unit: 'tokens' },
    ]);
  });

  it('ends a run under way that has spent it, or for which it is lowered', async () => {
    let costUsd = 1_000;
    const driver = playedDriver([calls({ name: 'lower' }).map(with10), answer('Never asked.', TEN)]);
    const lower = testTool('lower', () => {
      costUsd = 5;
      return text('ok');
    });
    const test = await testRun(driver, [lower], {
      ...PRICE,
      budgetsFor: () => ({ ...NO_BUDGETS, session: { costUsd, tokens: null } }),
    });
    expect(await test.run('go')).toMatchObject({ status: 'limit', error: { code: 'budget_exceeded' } });
    expect(driver.requests).toHaveLength(1);
    // The answered call is kept, and no note was asked for.
    expect((await test.messages()).map(({ role, status }) => `${role} ${status}`)).toEqual([
      'user done',
      'assistant done',
    ]);
  });
});

describe('a budget of a day', () => {
  it('holds over all sessions and after a restart, and renews at midnight', async () => {
    let now = Date.UTC(2026, 10, 30, 23, 59);
    const store = createMemoryStore({ now: () => now });
    const first = await open({ day: { costUsd: 15 } }, { store });
    await first.run('one');
    await first.run('two');
    await first.runtime.stop();
    const second = await open({ day: { costUsd: 15 } }, { store });
    const refused = await second.run('three');
    expect(refused.error?.message).toBe(
      "The day's budget of everybody is spent: $20.00 of $15. Everything so far is kept. It renews at 2026-12-01 00:00 UTC. To continue, raise it: budgets.day.costUsd.",
    );
    now += 60_000;
    expect((await second.runtime.resume(second.sessionId)).status).toBe('completed');
    now -= 60_000;
    expect((await second.run('four')).status).toBe('limit');
  });
});

describe('a budget of a token', () => {
  it.each([
    ['token', 'The budget of the token ann is spent', 'longhaul token budget ann --budget-tokens N, or'],
    ['tokenDay', "The day's budget of the token ann is spent", '--budget-tokens-per-day N, or'],
  ] as const)('%s holds over its sessions only', async (scope, spent, command) => {
    const store = createMemoryStore();
    const budgetsFor: RuntimeOptions['budgetsFor'] = async (owner) =>
      owner === 'ann' ? { ...NO_BUDGETS, [scope]: { tokens: 15_000, costUsd: null } } : NO_BUDGETS;
    const session = () => open({}, { store, budgetsFor });
    const [one, two, other] = [await session(), await session(), await session()];
    for (const { sessionId } of [one, two])
      await store.updateSession(sessionId, { metadata: { access: { owner: 'ann', shared: 'none' } } });
    await one.run('a');
    await two.run('b');
    const { error } = await one.run('c');
    expect(error?.message).toContain(spent);
    expect(error?.message).toContain(command);
    await other.run('d');
    expect((await other.run('e')).status).toBe('completed');
  });
});

describe('a model call', () => {
  it('counts an estimate if the server reports nothing, or a nonsense number', async () => {
    for (const usage of [undefined, usageOf(0, 0), usageOf(Number.NaN, -5)]) {
      const test = await open({ session: { tokens: 1_000_000 } }, {}, playedDriver([answer('Done.', usage)]));
      await test.run('x'.repeat(40_000));
      const [state] = await states(test);
      expect(state?.spent.tokens).toBeGreaterThan(4_000);
      expect(state?.spent.tokens).toBeLessThan(100_000);
    }
  });

  it('counts nothing if it failed before the server answered, and an estimate if it broke off', async () => {
    const broken: StepEvent[] = [{ type: 'text-delta', id: 't', text: 'half an answer' }];
    const error = failure('provider_bad_request', 'No.');
    const failed = await open({ session: { tokens: 1_000_000 } }, {}, playedDriver([[error]]));
    expect((await failed.run('go')).status).toBe('failed');
    expect((await states(failed))[0]?.spent).toEqual({ tokens: 0, costUsd: 0 });
    const cut = await open({ session: { tokens: 1_000_000 } }, {}, playedDriver([[...broken, error]]));
    await cut.run('go');
    expect((await states(cut))[0]?.spent.tokens).toBeGreaterThan(5);
  });

  it('counts only tokens if its price is unknown, and says so once', async () => {
    const test = await open({ session: { costUsd: 1 } }, { costOf: () => undefined });
    await test.run('one');
    await test.run('two');
    const warnings = test.of('context:warning').map(({ message }) => message);
    expect(warnings.filter((message) => message.includes('price'))).toEqual([
      expect.stringMatching(/^No price is known for played\/test, so budgets in US dollars do not limit it/),
    ]);
    expect(await test.store.listUsage({ by: ['model', 'token'], limit: 5 })).toMatchObject([
      { model: 'played/test', token: 'admin', calls: 2, unpricedTokens: 20_000, costUsd: 0 },
    ]);
  });
});

describe('a compaction between runs', () => {
  it('counts, and is refused without a change when nothing is left', async () => {
    const summary = playedDriver([answer('What was done.', TEN)], { model: 'small' });
    let costUsd = 1_000;
    const test = await open(
      {},
      {
        summariserFor: async () => summary,
        budgetsFor: () => ({ ...NO_BUDGETS, session: { costUsd, tokens: null } }),
      },
      playedDriver([answer('A long answer. '.repeat(900), TEN)]),
    );
    const compactions = async () =>
      (await test.store.loadLog(test.sessionId)).marks.filter(({ kind }) => kind === 'compaction').length;
    for (const ask of ['one', 'two', 'three']) await test.run(ask);
    const [before] = await states(test);
    expect(await test.runtime.compact(test.sessionId)).toMatchObject({ status: 'compacted' });
    expect((await states(test))[0]?.spent.costUsd).toBeGreaterThan((before?.spent.costUsd ?? 0) + 9);
    await test.run('four');
    costUsd = 1;
    const [made, asked] = [await compactions(), summary.requests.length];
    await expect(test.runtime.compact(test.sessionId)).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect([await compactions(), summary.requests.length]).toEqual([made, asked]);
  });
});

async function states({ runtime, store, sessionId }: TestRun) {
  const session = await store.getSession(sessionId);
  return session === undefined ? [] : await runtime.spending.ofSession(session).states();
}

function with10(event: StepEvent): StepEvent {
  return event.type === 'finish' ? { ...event, usage: TEN } : event;
}
