import { LonghaulError } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Store } from '../../ports/index.ts';
import { EventHub } from '../events/event-hub.ts';
import { RunRegistry } from '../runs/run-registry.ts';
import { holdIdle, keepLease } from './idle-lease.ts';
import { currentClaimant } from './lease-owner.ts';
import { leaseTtlMs } from './take-session.ts';

const LEASE_TTL_MS = leaseTtlMs({});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function heldStore(uptime: () => number) {
  const store = createMemoryStore({ uptime });
  await store.createSession({ id: 's', createdAt: 1, task: '', title: '', model: 'm', workspace: '/' });
  const claim = { ttlMs: LEASE_TTL_MS, ...currentClaimant() };
  const { lease } = await store.acquireLease('s', { runId: 'r', ...claim });
  return { store, lease, claim };
}

it('renews a lease until it is disposed', async () => {
  const start = performance.now();
  const { store, lease, claim } = await heldStore(() => performance.now() - start);
  const keeping = keepLease(store, lease);
  await vi.advanceTimersByTimeAsync(LEASE_TTL_MS * 3);
  await expect(store.acquireLease('s', { runId: 'r2', ...claim })).rejects.toMatchObject({
    code: 'session_busy',
  });
  await keeping[Symbol.asyncDispose]();
  await vi.advanceTimersByTimeAsync(LEASE_TTL_MS + 1);
  expect((await store.acquireLease('s', { runId: 'r2', ...claim })).lease.epoch).toBe(2);
});

it('calls onLost when another process has taken the session', async () => {
  let uptime = 0;
  const { store, lease, claim } = await heldStore(() => uptime);
  const onLost = vi.fn();
  await using _keeping = keepLease(store, lease, onLost);
  uptime += LEASE_TTL_MS;
  await store.acquireLease('s', { runId: 'r2', ...claim });
  expect(onLost).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(LEASE_TTL_MS);
  expect(onLost).toHaveBeenCalledTimes(1);
});

it('keeps the lease when the database is temporarily locked', async () => {
  const { store, lease } = await heldStore(() => 0);
  const locked: Store['renewLease'] = async () => {
    throw new LonghaulError('store_unavailable', 'locked');
  };
  const renewLease = vi.fn(locked);
  store.renewLease = renewLease;
  const onLost = vi.fn();
  await using _keeping = keepLease(store, lease, onLost);
  await vi.advanceTimersByTimeAsync(LEASE_TTL_MS);
  expect(renewLease.mock.calls.length).toBeGreaterThan(1);
  expect(onLost).not.toHaveBeenCalled();
});

it('keeps the session during work that takes longer than a lease', async () => {
  const start = performance.now();
  const { store, lease, claim } = await heldStore(() => performance.now() - start);
  await store.finishRun(lease, {
    status: 'completed',
    sessionStatus: 'active',
    onlyIfQueueEmpty: false,
    events: [],
  });
  const session = await store.getSession('s');
  if (session === undefined) throw new Error('The session is gone.');
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const work = { store, session, hub: new EventHub(), runs: new RunRegistry(store) };
  const held = holdIdle(work, () => answered);
  await vi.advanceTimersByTimeAsync(LEASE_TTL_MS * 3);
  await expect(store.acquireLease('s', { runId: 'r2', ...claim })).rejects.toMatchObject({
    code: 'session_busy',
  });
  answer();
  await held;
});
