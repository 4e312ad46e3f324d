import assert from 'node:assert/strict';
import { currentClaimant, type Runtime } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import { pino } from 'pino';
import { it } from 'vitest';
import type { DispatchedRuns } from './dispatched-runs.ts';
import { RunKeeper, type RunKeeperOptions } from './run-keeper.ts';

it('survives a queue that cannot be reached while another server drives the session', async () => {
  await using store = createMemoryStore();
  const session = await store.createSession({
    id: 's',
    createdAt: 0,
    task: '',
    title: '',
    model: 'a/b',
    workspace: '/',
  });
  await store.acquireLease('s', { runId: 'r', ttlMs: 60_000, ...currentClaimant() });
  const { promise: warned, resolve: warn } = Promise.withResolvers<string>();
  const runtime: Partial<Runtime> = { storeEnd: async () => {}, subscribe: () => () => {} };
  const dispatched: Partial<DispatchedRuns> = {
    request: async () => {
      throw new LonghaulError('store_unavailable', 'The connection was lost.');
    },
  };
  const options: Partial<RunKeeperOptions> = {
    store,
    runtime: runtime as Runtime,
    dispatched: dispatched as DispatchedRuns,
    maxRuns: null,
    log: pino({}, { write: warn }),
  };
  using runs = new RunKeeper(options as RunKeeperOptions);
  assert.equal(await runs.isDriven(session.id), true);
  assert.match(await warned, /The connection was lost/);
});
