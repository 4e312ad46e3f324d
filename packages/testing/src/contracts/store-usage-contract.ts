import assert from 'node:assert/strict';
import type { Store, UsageEntry } from '@longhaul/core';
import type { TokenUsage } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import { newSession, type OpenStore } from './store-fixtures.ts';

const MIDNIGHT = Date.UTC(2026, 10, 30);
const HOUR = 3_600_000;

export function usageContract({ it }: ContractRunner, open: OpenStore): void {
  it('adds up what calls have used, by session, token and day', async () => {
    let now = MIDNIGHT + HOUR;
    await using store = await open({ now: () => now });
    await store.recordUsage(call('s1', 'ann', 100, 1));
    await store.recordUsage(call('s1', 'ann', 10, 0.5));
    await store.recordUsage(call('s2', 'ann', 1, 0.25));
    await store.recordUsage(call(undefined, 'bob', 1_000, 4));
    now += 24 * HOUR;
    const last = await store.recordUsage(call('s1', 'ann', 5, 0.125));
    assert.deepEqual(last.session, { tokens: 115, costUsd: 1.625 });
    assert.deepEqual(last.token, { tokens: 116, costUsd: 1.875 });
    assert.deepEqual(last.tokenDay, { tokens: 5, costUsd: 0.125 });
    assert.deepEqual(last.day, { tokens: 5, costUsd: 0.125 });
    assert.equal(last.today, '2026-12-01');
    assert.equal(last.dayEndsAt, MIDNIGHT + 48 * HOUR);
    assert.deepEqual(await store.readSpent({ sessionId: 's1', owner: 'ann' }), last);
    const { session, token } = await store.readSpent({ sessionId: 's3', owner: 'bob' });
    assert.deepEqual({ session, token }, { session: NOTHING, token: { tokens: 1_000, costUsd: 4 } });
  });

  it('adds up decimal amounts without the noise of binary fractions', async () => {
    await using store = await open();
    for (const usd of [0.1, 0.2, 0.7]) await store.recordUsage(call('s1', 'ann', 1, usd));
    await store.recordUsage(call('s1', 'ann', 1, 0.000_000_003));
    assert.equal((await store.readSpent({ sessionId: 's1', owner: 'ann' })).session.costUsd, 1.000_000_003);
    const rows = await store.listUsage({ by: ['session'], limit: 10 });
    assert.deepEqual(
      rows.map(({ costUsd }) => costUsd),
      [1.000_000_003],
    );
  });

  it('counts on the earlier day again if the clock goes back over midnight', async () => {
    let now = MIDNIGHT - 1;
    await using store = await open({ now: () => now });
    await store.recordUsage(call('s1', 'ann', 100, 1));
    now = MIDNIGHT;
    await store.recordUsage(call('s1', 'ann', 20, 0.5));
    now = MIDNIGHT - HOUR;
    const back = await store.recordUsage(call('s1', 'ann', 3, 0));
    assert.deepEqual([back.today, back.day.tokens, back.dayEndsAt], ['2026-11-29', 103, MIDNIGHT]);
    now = MIDNIGHT + 1;
    assert.equal((await store.readSpent({ sessionId: 's1', owner: 'ann' })).day.tokens, 20);
  });

  it('corrects an entry on its own day', async () => {
    let now = MIDNIGHT - 1;
    await using store = await open({ now: () => now });
    const { today } = await store.recordUsage({ ...call('s1', 'ann', 100, 2), calls: 0 });
    now = MIDNIGHT;
    await store.recordUsage({ ...call('s1', 'ann', -60, -1.5), day: today });
    assert.deepEqual((await store.readSpent({ owner: 'ann' })).day, NOTHING);
    const rows = await store.listUsage({ by: ['day'], limit: 10 });
    assert.deepEqual(
      rows.map(({ day, calls, costUsd, usage }) => [day, calls, costUsd, usage.totalTokens]),
      [['2026-11-29', 1, 0.5, 40]],
    );
  });

  it('gives nothing back when a session is deleted', async () => {
    await using store = await open();
    await store.createSession(newSession('s1'));
    const before = await store.recordUsage(call('s1', 'ann', 100, 1));
    await store.deleteSession('s1');
    const { session, token } = await store.readSpent({ sessionId: 's1', owner: 'ann' });
    assert.deepEqual({ session, token }, { session: before.session, token: before.token });
    assert.equal((await store.listUsage({ by: ['session'], limit: 10 }))[0]?.session, 's1');
  });

  it('lists usage by each key, in a range, of one token or session', async () => {
    let now = MIDNIGHT;
    await using store = await open({ now: () => now });
    await fill(store);
    now += 24 * HOUR;
    await store.recordUsage(call('s1', 'ann', 7, undefined));
    const shown = async (query: Partial<Parameters<Store['listUsage']>[0]>) =>
      (await store.listUsage({ by: [], limit: 10, ...query })).map(({ usage, costUsd, ...row }) =>
        Object.values({ ...row, tokens: usage.totalTokens, costUsd }).join(' '),
      );
    assert.deepEqual(await shown({}), ['4 7 118 3.75']);
    assert.deepEqual(await shown({ by: ['day'] }), ['2026-12-01 1 7 7 0', '2026-11-30 3 0 111 3.75']);
    assert.deepEqual(await shown({ by: ['token'] }), ['bob 1 0 10 2', 'ann 3 7 108 1.75']);
    assert.deepEqual(await shown({ by: ['token'], limit: 1 }), ['bob 1 0 10 2']);
    assert.deepEqual(await shown({ by: ['model', 'session'], owner: 'ann' }), [
      'p/m s1 2 7 107 1.5',
      'p/m s2 1 0 1 0.25',
    ]);
    assert.deepEqual(await shown({ from: '2026-12-01' }), ['1 7 7 0']);
    assert.deepEqual(await shown({ to: '2026-11-30', sessionId: 's1' }), ['1 0 100 1.5']);
    assert.deepEqual(await shown({ owner: 'carol' }), []);
  });

  it('loses none of many calls at once', async () => {
    await using store = await open();
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => store.recordUsage(call(`s${n % 3}`, 'ann', 2, 0.5))),
    );
    assert.deepEqual((await store.readSpent({ owner: 'ann' })).token, { tokens: 100, costUsd: 25 });
  });
}

const NOTHING = { tokens: 0, costUsd: 0 };

async function fill(store: Store): Promise<void> {
  await store.recordUsage(call('s1', 'ann', 100, 1.5));
  await store.recordUsage(call('s2', 'ann', 1, 0.25));
  await store.recordUsage(call('s3', 'bob', 10, 2));
}

function call(
  sessionId: string | undefined,
  owner: string,
  tokens: number,
  costUsd: number | undefined,
): UsageEntry {
  const none = { outputTokens: 0, reasoningTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const usage: TokenUsage = { inputTokens: tokens, ...none, totalTokens: tokens };
  return { sessionId, owner, model: 'p/m', calls: 1, usage, costUsd };
}
