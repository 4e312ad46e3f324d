import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RuntimeOptions, StepEvent } from '@longhaul/core';
import { NO_BUDGETS, ZERO_USAGE } from '@longhaul/protocol';
import type { UsageReport } from '@longhaul/protocol/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NamedTokens } from '../src/index.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let folder: string;
let server: TestServer;
const tokens: Record<string, string> = {};
let budgets: typeof NO_BUDGETS = NO_BUDGETS;

/** Each answer has ten thousand tokens and costs one dollar. */
async function* play(): AsyncGenerator<StepEvent> {
  const usage = { ...ZERO_USAGE, inputTokens: 9_000, outputTokens: 1_000, totalTokens: 10_000 };
  yield { type: 'text-start', id: 't' };
  yield { type: 'text-delta', id: 't', text: 'Done.' };
  yield { type: 'text-end', id: 't' };
  yield { type: 'finish', finishReason: 'stop', usage };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-usage-'));
  const named = new NamedTokens(join(folder, 'server-tokens'));
  const run: Partial<RuntimeOptions> = {
    costOf: ({ totalTokens }) => totalTokens / 10_000,
    budgetsFor: (owner) => ({ ...budgets, ...(owner === 'admin' && { tokenDay: NO_BUDGETS.tokenDay }) }),
  };
  server = await startTestServer({ play, options: { namedTokens: named }, run });
  for (const name of ['ann', 'bob']) tokens[name] = await named.add(name, { scope: 'work' });
  tokens['rea'] = await named.add('rea', { scope: 'read' });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function as(name: string | undefined, method: string, path: string, body?: unknown) {
  const response = await server.fetch(path, {
    method,
    ...(name !== undefined && { token: tokens[name] }),
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  return { status: response.status, headers: response.headers, value: JSON.parse(await response.text()) };
}

const newSession = async (name?: string): Promise<string> =>
  (await as(name, 'POST', '/api/sessions', {})).value.id;

async function say(name: string | undefined, sessionId: string): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const unsubscribe = server.runtime.subscribe((event) => {
    if (event.type === 'run:finished' && event.sessionId === sessionId) ended.resolve();
  });
  expect((await as(name, 'POST', `/api/sessions/${sessionId}/messages`, { content: 'go' })).status).toBe(200);
  await ended.promise;
  unsubscribe();
}

describe('GET /api/usage', () => {
  it('adds up by day, token, model and session; a token sees its own', async () => {
    const [hers, his, mine] = [await newSession('ann'), await newSession('bob'), await newSession()];
    await say('ann', hers);
    await say('ann', hers);
    await say('bob', his);
    await say(undefined, mine);
    const read = async (name: string | undefined, query: string) =>
      (await as(name, 'GET', `/api/usage${query}`)).value as UsageReport;
    const all = await read(undefined, '?by=token');
    expect(all.rows).toMatchObject([
      { token: 'ann', calls: 2, costUsd: 2, usage: { inputTokens: 18_000, totalTokens: 20_000 } },
      { costUsd: 1, calls: 1 },
      { costUsd: 1, calls: 1 },
    ]);
    expect(all.total).toMatchObject({ calls: 4, costUsd: 4, unpricedTokens: 0 });
    expect((await read(undefined, '')).rows).toMatchObject([{ day: all.today, calls: 4 }]);
    expect(await read(undefined, '?by=session,model&limit=1')).toMatchObject({
      hasMore: true,
      rows: [{ session: hers, model: expect.stringContaining('/'), costUsd: 2 }],
    });
    expect((await read(undefined, '?from=2000-01-01&to=2000-01-02')).total.calls).toBe(0);
    expect((await read('ann', '?by=session')).rows).toMatchObject([{ session: hers, calls: 2 }]);
    expect((await read('bob', '?by=')).total).toMatchObject({ calls: 1 });
    expect((await read('rea', '')).total).toMatchObject({ calls: 0 });
    expect((await as('bob', 'GET', '/api/usage?token=ann')).status).toBe(403);
    expect((await as('bob', 'GET', `/api/usage?sessionId=${hers}`)).status).toBe(404);
    await as('ann', 'PATCH', `/api/sessions/${hers}`, { shared: 'read' });
    expect((await read('bob', `?sessionId=${hers}`)).total).toMatchObject({ calls: 2 });
    for (const query of ['?by=week', '?from=yesterday', '?to=2026-13-01', '?limit=0', '?x=1'])
      expect((await as(undefined, 'GET', `/api/usage${query}`)).status, query).toBe(400);
    const { value: left } = await as(undefined, 'GET', `/api/usage?by=session&sessionId=${his}`);
    await as('bob', 'DELETE', `/api/sessions/${his}`).catch(() => undefined);
    expect((await read(undefined, `?by=session&sessionId=${his}`)).rows).toEqual(left.rows);
  });

  it('says what is left of budgets, that of everybody only to an admin', async () => {
    budgets = {
      ...NO_BUDGETS,
      day: { costUsd: 1_000, tokens: null },
      tokenDay: { costUsd: null, tokens: 500_000 },
    };
    const scopes = async (name: string | undefined) =>
      (await as(name, 'GET', '/api/usage')).value.budgets.map(({ budget }: { budget: string }) => budget);
    expect(await scopes('ann')).toEqual(['tokenDay']);
    expect(await scopes(undefined)).toEqual(['day']);
    const metrics = await (await server.fetch('/metrics')).text();
    expect(metrics).toContain('longhaul_spent_today_usd{token="ann"} 2');
    expect(metrics).toContain('longhaul_spent_today_tokens{token="bob"} 10000');
    expect(metrics).toContain('longhaul_day_budget_left_usd 996');
    expect(metrics).not.toMatch(/longhaul_day_budget_left_tokens \d|longhaul_tokens_total/);
  });
});

describe('a message when a budget is spent', () => {
  it('is refused with 402 before it is stored, and accepted when the budget is raised', async () => {
    budgets = NO_BUDGETS;
    const sessionId = await newSession('ann');
    await say('ann', sessionId);
    budgets = { ...NO_BUDGETS, session: { costUsd: 1, tokens: null } };
    const send = () => as('ann', 'POST', `/api/sessions/${sessionId}/messages`, { content: 'again' });
    const refused = await send();
    expect(refused).toMatchObject({
      status: 402,
      value: { error: { code: 'budget_exceeded', retryable: false, data: { budget: 'session', spent: 1 } } },
    });
    expect(refused.headers.get('retry-after')).toBeNull();
    expect((await as('ann', 'POST', `/api/sessions/${sessionId}/resume`, {})).status).toBe(402);
    expect(await server.store.listQueue(sessionId)).toEqual([]);
    budgets = { ...NO_BUDGETS, session: { costUsd: 9, tokens: null } };
    await say('ann', sessionId);
  });

  it('says when the budget of a day renews, also over the OpenAI API, which makes no session', async () => {
    budgets = { ...NO_BUDGETS, tokenDay: { costUsd: null, tokens: 1 } };
    const sessionId = await newSession('ann');
    const refused = await as('ann', 'POST', `/api/sessions/${sessionId}/messages`, { content: 'go' });
    expect(refused.status).toBe(402);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const before = (await server.store.listSessions()).length;
    const body = { model: 'agent/coder', messages: [{ role: 'user', content: 'hi' }] };
    const completion = await as('ann', 'POST', '/v1/chat/completions', body);
    expect(completion).toMatchObject({ status: 402, value: { error: { code: 'budget_exceeded' } } });
    expect((await server.store.listSessions()).length).toBe(before);
    budgets = NO_BUDGETS;
  });
});
