import assert from 'node:assert/strict';
import type { Store } from '@longhaul/core';
import { ZERO_USAGE } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import {
  acquire,
  draft,
  heldSession,
  newSession,
  type OpenStore,
  OWNER,
  queued,
  refused,
  text,
} from './store-fixtures.ts';

const FINISH = {
  status: 'completed',
  sessionStatus: 'completed',
  onlyIfQueueEmpty: true,
  events: [],
} as const;
const THINKING = { type: 'llm:thinking' } as const;

export function leaseContract({ it }: ContractRunner, open: OpenStore): void {
  it('grants a session to one run at a time, and names the holder', async () => {
    await using store = await open({ now: () => 100 });
    const lease = await heldSession(store);
    assert.deepEqual(await store.leaseHolder('s1'), {
      runId: lease.runId,
      epoch: lease.epoch,
      owner: OWNER,
      expiresAt: 60_100,
    });
    const busy = await refused(acquire(store, 's1', 'run-2'), 'session_busy');
    assert.deepEqual(busy.data, { sessionId: 's1', pid: 4242, host: 'here', runId: lease.runId });
    assert.equal((await store.listRuns('s1')).length, 1);
  });

  it('replaces a dead owner at once, leaves its run unfinished and refuses its appends', async () => {
    let time = 100;
    await using store = await open({ now: () => time });
    const dead = await heldSession(store);
    await store.appendMessage(dead, draft('m1'));
    time = 200;
    const asked: unknown[] = [];
    const { lease, events } = await store.acquireLease('s1', {
      runId: 'run-2',
      owner: { ...OWNER, pid: 5 },
      ttlMs: 1000,
      isAlive: (owner) => {
        asked.push(owner);
        return false;
      },
      events: [{ type: 'run:started', runId: 'run-2', task: 't', model: 'm' }],
    });
    assert.deepEqual(asked, [OWNER]);
    assert.ok(lease.epoch > dead.epoch);
    assert.deepEqual(
      events.map(({ type, number, at }) => [type, number, at]),
      [['run:started', 1, 200]],
    );
    assert.deepEqual(
      await store.listRuns('s1', { isOpen: true }),
      (await store.listRuns('s1')).filter(({ endedAt }) => endedAt === undefined),
    );
    assert.deepEqual(await store.listRuns('s1'), [
      {
        runId: dead.runId,
        sessionId: 's1',
        owner: OWNER,
        startedAt: 100,
      },
      { runId: 'run-2', sessionId: 's1', owner: { ...OWNER, pid: 5 }, startedAt: 200 },
    ]);
    await refusesAllAppends(store, dead);
    assert.equal((await store.readEvents('s1')).length, 1);
  });

  it('replaces a silent owner only after its lease has expired; a renewal postpones that', async () => {
    let time = 0;
    await using store = await open({ now: () => time, uptime: () => time });
    const lease = await heldSession(store);
    time = 59_999;
    await refused(acquire(store, 's1', 'run-2'), 'session_busy');
    await store.renewLease(lease, 60_000);
    time = 119_998;
    await refused(acquire(store, 's1', 'run-2'), 'session_busy');
    time = 119_999;
    const next = await acquire(store, 's1', 'run-2');
    assert.ok(next.epoch > lease.epoch);
    await refused(store.renewLease(lease, 60_000), 'lease_lost');
  });

  it('finishes a run once: stores its events and releases the session', async () => {
    let time = 10;
    await using store = await open({ now: () => time });
    const lease = await heldSession(store);
    time = 20;
    const { runId } = lease;
    const finished = {
      type: 'run:finished',
      runId,
      status: 'completed',
      stepCount: 1,
      usage: ZERO_USAGE,
      text: 'ok',
      compactions: 0,
    } as const;
    const answer = await store.finishRun(lease, { ...FINISH, events: [finished] });
    assert.deepEqual(answer, {
      finished: true,
      events: [{ ...finished, sessionId: 's1', at: 20, number: 1 }],
    });
    assert.equal(await store.leaseHolder('s1'), undefined);
    assert.equal((await store.getSession('s1'))?.status, 'completed');
    assert.deepEqual(await store.listRuns('s1'), [
      { runId, sessionId: 's1', owner: OWNER, startedAt: 10, endedAt: 20, status: 'completed' },
    ]);
    await refusesAllAppends(store, lease);
    const next = await acquire(store, 's1', 'run-2');
    assert.ok(next.epoch > lease.epoch, 'the epoch also grows after a free session');
  });

  it('lists unfinished and interrupted runs, last started first, even if the clock was set back', async () => {
    // The clock is set back the whole time.
    let time = 1000;
    await using store = await open({ now: () => time-- });
    const runs = async (limit: number) =>
      (await store.listUnfinishedRuns({ limit })).map(({ runId }) => runId);
    const end = { sessionStatus: 'active', onlyIfQueueEmpty: false, events: [] } as const;
    const done = await heldSession(store, 'done');
    await store.finishRun(done, { ...end, status: 'interrupted' });
    await store.finishRun(await acquire(store, 'done', 'again'), { ...end, status: 'completed' });
    await store.finishRun(await heldSession(store, 'cut'), { ...end, status: 'interrupted' });
    await heldSession(store, 'open');
    await store.createSession(newSession('never'));
    assert.deepEqual(await runs(9), ['run-of-open', 'run-of-cut']);
    assert.deepEqual(await runs(1), ['run-of-open']);
  });

  it('does not finish while a message is queued, if onlyIfQueueEmpty is set', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.enqueue('s1', queued('q1'), { maxPending: 5 });
    const answer = await store.finishRun(lease, { ...FINISH, events: [THINKING] });
    assert.deepEqual(answer, { finished: false, events: [] });
    assert.equal((await store.getSession('s1'))?.status, 'active');
    assert.equal((await store.leaseHolder('s1'))?.runId, lease.runId);
    const forced = await store.finishRun(lease, { ...FINISH, status: 'cancelled', onlyIfQueueEmpty: false });
    assert.equal(forced.finished, true);
    assert.deepEqual(
      (await store.listQueue('s1')).map((message) => message.id),
      ['q1'],
    );
  });

  it('refuses a used run id and a missing session', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.finishRun(lease, FINISH);
    await refused(acquire(store, 's1', lease.runId), 'internal');
    await refused(acquire(store, 'absent'), 'session_not_found');
    await refused(store.leaseHolder('absent'), 'session_not_found');
    await store.createSession(newSession('s2'));
    assert.equal(await store.leaseHolder('s2'), undefined);
  });
}

async function refusesAllAppends(store: Store, lease: Parameters<Store['renewLease']>[0]): Promise<void> {
  const before = await store.loadLog(lease.sessionId);
  const mark = { kind: 'pin', id: 'pin-1', messageId: 'm1', createdAt: 1 } as const;
  const take = store.takeQueue(lease, () => ({ drafts: [draft('m9', [text('x')])], events: [] }));
  const attempts = [
    store.appendMessage(lease, draft('m8', [text('late')]), [THINKING]),
    store.putPart(lease, { messageId: 'm1', index: 0 }, text('late'), [THINKING]),
    store.closeMessage(lease, 'm1', { status: 'done', tokenCount: 1 }, [THINKING]),
    store.appendEvents(lease, [THINKING]),
    store.recordMarks(lease, [mark], [THINKING]),
    store.finishRun(lease, FINISH),
    take,
  ];
  await Promise.all(attempts.map((attempt) => refused(attempt, 'lease_lost')));
  assert.deepEqual(await store.loadLog(lease.sessionId), before);
}
