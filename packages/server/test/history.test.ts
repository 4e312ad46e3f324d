import { currentClaimant } from '@longhaul/core';
import type { TokenUsage } from '@longhaul/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
let id: string;
beforeEach(async () => {
  server = await startTestServer();
  id = await server.newSession({ title: 'History' });
});
afterEach(() => server[Symbol.asyncDispose]());

const usageOf = (inputTokens: number): TokenUsage => ({
  inputTokens,
  outputTokens: 10,
  reasoningTokens: 1,
  cacheReadTokens: 5,
  cacheWriteTokens: 0,
  totalTokens: inputTokens + 10,
});

async function lease() {
  const claim = { runId: 'r1', ttlMs: 60_000, ...currentClaimant() };
  return (await server.store.acquireLease(id, claim)).lease;
}

/** Six messages: a user's and a model's in turn. */
async function fill() {
  const held = await lease();
  for (const sequence of [1, 2, 3, 4, 5, 6]) {
    const isAnswer = sequence % 2 === 0;
    const parts = [{ type: 'text', text: `text ${sequence}`, state: 'done' } as const];
    const base = {
      status: 'done',
      tokenCount: 1,
      createdAt: 100 * sequence,
      parts,
      id: `m${sequence}`,
    } as const;
    await server.store.appendMessage(
      held,
      isAnswer
        ? { ...base, role: 'assistant', usage: usageOf(1_000 * sequence), cost: 0.25, model: 'played/one' }
        : { ...base, role: 'user' },
    );
  }
  const compaction = { strategy: 's', reason: 'manual', tokensBefore: 900, tokensAfter: 300 } as const;
  const make = (round: number, hides: string[], createdAt: number) =>
    server.store.recordCompaction(held, {
      ...compaction,
      id: `c${round}`,
      round,
      hides,
      createdAt,
      summary: { ledger: `ledger ${round}`, narrative: `narrative ${round}` },
    });
  await make(1, ['m1', 'm2'], 450);
  await make(2, ['m1', 'm2', 'm3'], 550);
  await server.store.undoMark(id, 'c2', 560);
  await make(3, ['m1', 'm2', 'm3', 'm4'], 700);
  return held;
}

it('lists all compactions with what each one hid, and returns the summary of one', async () => {
  await fill();
  const { compactions } = await server.call<{ compactions: object[] }>(
    'GET',
    `/api/sessions/${id}/compactions`,
  );
  const range = (from: number, to: number) => [{ from: `m${from}`, to: `m${to}`, count: to - from + 1 }];
  expect(compactions).toMatchObject([
    { id: 'c1', round: 1, at: 4, isActive: true, count: 2, ranges: range(1, 2), tokensBefore: 900 },
    { id: 'c2', round: 2, at: 5, isActive: false, count: 1, ranges: range(3, 3), undoneAt: 560 },
    { id: 'c3', round: 3, at: 6, isActive: true, count: 2, ranges: range(3, 4), tokensAfter: 300 },
  ]);
  expect(compactions[0]).not.toHaveProperty('summary');
  const one = await server.call('GET', `/api/sessions/${id}/compactions/c2`);
  expect(one).toMatchObject({ id: 'c2', summary: { ledger: 'ledger 2', narrative: 'narrative 2' } });
  expect((await server.fetch(`/api/sessions/${id}/compactions/c9`)).status).toBe(404);
});

it('lists the tokens and the cost of each step, in pages', async () => {
  const held = await fill();
  await server.store.recordMarks(held, [{ kind: 'revert', id: 'r', at: 6, to: 4, createdAt: 800 }]);
  const page = (query: string) =>
    server.call<{ steps: { sequence: number }[]; hasMore: boolean }>(
      'GET',
      `/api/sessions/${id}/steps${query}`,
    );
  const all = await page('');
  expect(all).toEqual({
    steps: [2, 4, 6].map((sequence) => ({
      handle: `m${sequence}`,
      sequence,
      at: 100 * sequence,
      model: 'played/one',
      usage: usageOf(1_000 * sequence),
      cost: 0.25,
      isReverted: sequence === 6,
    })),
    hasMore: false,
  });
  const first = await page('?limit=2');
  expect([first.steps.map(({ sequence }) => sequence), first.hasMore]).toEqual([[2, 4], true]);
  const rest = await page('?limit=2&after=4');
  expect([rest.steps.map(({ sequence }) => sequence), rest.hasMore]).toEqual([[6], false]);
});

it('adds figures to sessions on request, and counts each step once', async () => {
  const held = await fill();
  const figures = async () => {
    const { sessions } = await server.call<{ sessions: { figures: object }[] }>(
      'GET',
      '/api/sessions?figures=true',
    );
    return sessions[0]?.figures;
  };
  const expected = {
    steps: 3,
    cost: 0.75,
    usage: { inputTokens: 12_000, outputTokens: 30, cacheReadTokens: 15 },
    queued: 0,
    openApprovals: 0,
  };
  expect(await figures()).toMatchObject(expected);
  expect(await figures()).toMatchObject(expected);
  expect(await figures()).not.toHaveProperty('context');
  expect((await server.call('GET', `/api/sessions/${id}`))['figures']).toBeUndefined();
  await server.store.appendMessage(held, {
    role: 'assistant',
    status: 'running',
    tokenCount: 0,
    createdAt: 900,
    parts: [],
    id: 'm7',
  });
  expect(await figures()).toMatchObject({ steps: 3 });
  await server.store.closeMessage(held, 'm7', {
    status: 'done',
    tokenCount: 1,
    usage: usageOf(500),
    cost: 0.25,
  });
  await server.store.appendEvents(held, [
    {
      type: 'context:usage',
      tokens: 600,
      usableTokens: 8_000,
      windowTokens: 10_000,
      systemTokens: 100,
      toolTokens: 0,
    },
  ]);
  const context = { tokens: 600, usableTokens: 8_000, windowTokens: 10_000, triggerTokens: 8_000 };
  expect(await figures()).toMatchObject({ steps: 4, cost: 1, usage: { inputTokens: 12_500 }, context });
  const one = await server.call('GET', `/api/sessions/${id}?figures=true`);
  expect(one['figures']).toMatchObject({ steps: 4, context });
});

it('lists agents and folders, and finds the session of a hit by its title', async () => {
  await fill();
  const { agents } = await server.call<{ agents: object[] }>('GET', '/api/agents');
  expect(agents).toEqual([{ name: 'coder', isDefault: true, tools: [], hasPrompt: false }]);
  expect(await server.call('GET', '/api/workspaces')).toEqual({
    workspaces: [{ path: server.workspace, isDefault: true }],
  });
  const { hits } = await server.call<{ hits: object[] }>('GET', '/api/search?q=text');
  expect(hits[0]).toMatchObject({
    sessionId: id,
    title: 'History',
    handle: expect.stringMatching(/^m\d\.0$/),
  });
});
