import assert from 'node:assert/strict';
import { ZERO_USAGE } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import {
  acquire,
  heldSession,
  newSession,
  type OpenStore,
  OWNER,
  queued,
  refused,
} from './store-fixtures.ts';

const ALIVE = { owner: OWNER, isAlive: () => true };
const DEAD = { owner: OWNER, isAlive: () => false };

export function cancelContract({ it }: ContractRunner, open: OpenStore): void {
  it('keeps a cancel request until the run has answered it', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.enqueue('s1', queued('q1'), { maxPending: 5 });
    assert.equal(await store.hasCancelRequest(lease.runId), false);
    const answer = await store.requestCancel('s1', { ...ALIVE, clearQueue: false });
    assert.equal(answer.holder?.runId, lease.runId);
    assert.deepEqual(answer.holder?.owner, OWNER);
    assert.equal(answer.clearedMessages, 0);
    assert.equal(await store.hasCancelRequest(lease.runId), true);
    const again = await store.requestCancel('s1', { ...ALIVE, clearQueue: true });
    assert.equal(again.clearedMessages, 1);
    assert.deepEqual(await store.listQueue('s1'), []);
    await store.answerCancel(lease.runId);
    assert.equal(await store.hasCancelRequest(lease.runId), false);
    await refused(store.requestCancel('absent', { ...ALIVE, clearQueue: false }), 'session_not_found');
  });

  it('stores no cancel request if no living owner holds the session', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.enqueue('s1', queued('q1'), { maxPending: 5 });
    assert.deepEqual(await store.requestCancel('s1', { ...DEAD, clearQueue: true }), { clearedMessages: 1 });
    assert.equal(await store.hasCancelRequest(lease.runId), false);
    assert.equal(await store.leaseHolder('s1', DEAD), undefined);
    assert.equal((await store.leaseHolder('s1', ALIVE))?.runId, lease.runId);
    assert.equal((await store.leaseHolder('s1'))?.runId, lease.runId);
  });

  it('closes the run of a dead owner once, under the lease of the run that replaced it', async () => {
    await using store = await open();
    const dead = await heldSession(store);
    const next = (await store.acquireLease('s1', { ...DEAD, runId: 'run-2', ttlMs: 1000 })).lease;
    const finished = { type: 'run:finished', runId: dead.runId, status: 'interrupted', text: '' } as const;
    const event = { ...finished, stepCount: 0, usage: ZERO_USAGE, compactions: 0 };
    assert.equal((await store.closeDeadRun(next, dead.runId, [event]))[0]?.number, 1);
    assert.deepEqual(await store.closeDeadRun(next, dead.runId, [event]), []);
    assert.deepEqual(await store.closeDeadRun(next, next.runId, [event]), []);
    assert.equal((await store.readEvents('s1')).length, 1);
    assert.equal(await store.lastEventNumber('s1'), 1);
    const runs = await store.listRuns('s1');
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['interrupted', undefined],
    );
    await refused(store.closeDeadRun(dead, next.runId, []), 'lease_lost');
  });

  it('measures a lease by the uptime of the shared machine, so that setting the clock changes nothing', async () => {
    let now = 1_000_000_000;
    let uptime = 5000;
    await using store = await open({ now: () => now, uptime: () => uptime });
    await heldSession(store);
    const elsewhere = { ...ALIVE, owner: { ...OWNER, host: 'there', bootId: 'boot-2' } };
    const take = { runId: 'run-2', ttlMs: 1000 };
    now += 3_600_000;
    await refused(acquire(store, 's1', 'run-2'), 'session_busy');
    assert.equal(await store.leaseHolder('s1', elsewhere), undefined, 'another machine has only the clock');
    now -= 7_200_000;
    uptime += 59_999;
    await refused(acquire(store, 's1', 'run-2'), 'session_busy');
    await refused(store.acquireLease('s1', { ...elsewhere, ...take }), 'session_busy');
    uptime += 1;
    assert.equal((await acquire(store, 's1', 'run-2')).epoch, 2);
  });

  it('calls watchers on a cancel until they are disposed of', async () => {
    await using store = await open();
    await store.createSession(newSession('s1'));
    let calls = 0;
    const watch = store.watch(() => (calls += 1));
    await store.requestCancel('s1', { ...ALIVE, clearQueue: false });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(calls, 1);
    watch[Symbol.dispose]();
    await store.requestCancel('s1', { ...ALIVE, clearQueue: false });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(calls, 1);
  });
}
