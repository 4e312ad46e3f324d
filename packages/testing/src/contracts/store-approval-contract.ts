import assert from 'node:assert/strict';
import type { ContractRunner } from './contract-runner.ts';
import { acquire, heldSession, type OpenStore, refused } from './store-fixtures.ts';

const REQUEST = { callId: 'c1', handle: 'm2.0', toolName: 'bash', args: { command: 'npm publish' } };

export function approvalContract({ it }: ContractRunner, open: OpenStore): void {
  it('stores a request with its event once, and lists it as open until it is answered', async () => {
    await using store = await open({ now: () => 77 });
    const lease = await heldSession(store);
    const approval = { ...REQUEST, sessionId: 's1', requestedAt: 77 };
    const event = { type: 'approval:requested', ...REQUEST, sessionId: 's1', at: 77, number: 1 };
    assert.deepEqual(await store.requestApproval(lease, REQUEST), { approval, events: [event] });
    assert.deepEqual(await store.requestApproval(lease, REQUEST), { approval, events: [] });
    assert.deepEqual(await store.listApprovals('s1'), [approval]);
    assert.deepEqual(await store.listApprovals('s1', { open: true }), [approval]);
    await refused(store.listApprovals('absent'), 'session_not_found');
  });

  it('lists the open requests of all sessions, oldest first, without those of deleted sessions', async () => {
    let time = 10;
    await using store = await open({ now: () => time });
    const leases = [await heldSession(store), await heldSession(store, 's2'), await heldSession(store, 's3')];
    for (const lease of leases.toReversed()) {
      time += 1;
      await store.requestApproval(lease, REQUEST);
      await store.requestApproval(lease, { ...REQUEST, callId: 'c2', handle: 'm3.0' });
    }
    const listed = async (limit: number) =>
      (await store.listOpenApprovals({ limit })).map(({ sessionId, callId }) => `${sessionId} ${callId}`);
    assert.deepEqual(
      new Set(await listed(9)),
      new Set(['s3 c1', 's3 c2', 's2 c1', 's2 c2', 's1 c1', 's1 c2']),
    );
    await store.answerApproval('s1', 'c1', { answer: 'once' });
    await store.answerApproval('s3', 'c2', { answer: 'deny' });
    await store.deleteSession('s2');
    assert.deepEqual(await listed(9), ['s3 c1', 's1 c2']);
    assert.deepEqual(await listed(1), ['s3 c1']);
  });

  it('keeps the first answer and emits one event for it', async () => {
    await using store = await open({ now: () => 78 });
    const lease = await heldSession(store);
    await store.requestApproval(lease, REQUEST);
    const answered = await store.answerApproval('s1', 'c1', { answer: 'deny', reason: 'not today' });
    const approval = {
      ...REQUEST,
      sessionId: 's1',
      requestedAt: 78,
      answeredAt: 78,
      answer: 'deny',
      reason: 'not today',
    };
    const answeredEvent = {
      type: 'approval:answered',
      callId: 'c1',
      handle: 'm2.0',
      allowed: false,
      reason: 'not today',
    };
    const events = [{ ...answeredEvent, sessionId: 's1', at: 78, number: 2 }];
    assert.deepEqual(answered, { approval, isNew: true, events });
    const again = await store.answerApproval('s1', 'c1', { answer: 'always' });
    assert.deepEqual(again, { approval, isNew: false, events: [] });
    assert.equal(await store.answerApproval('s1', 'other', { answer: 'once' }), undefined);
    assert.deepEqual(await store.listApprovals('s1', { open: true }), []);
    assert.deepEqual(await store.listApprovals('s1'), [approval]);
    await refused(store.answerApproval('absent', 'c1', { answer: 'once' }), 'session_not_found');
  });

  it('distinguishes calls with the same id, because providers reuse ids', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.requestApproval(lease, REQUEST);
    await store.answerApproval('s1', 'c1', { answer: 'once' });
    await store.requestApproval(lease, { ...REQUEST, handle: 'm10.0' });
    const handles = async () => (await store.listApprovals('s1', { open: true })).map(({ handle }) => handle);
    assert.deepEqual(await handles(), ['m10.0']);
    const now = await store.answerApproval('s1', 'c1', { answer: 'once', handle: 'm10.0' });
    assert.deepEqual([now?.isNew, now?.approval.handle], [true, 'm10.0']);
    assert.deepEqual(await handles(), []);
  });

  it('answers only the request that the handle names, if two calls have the same id', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.requestApproval(lease, REQUEST);
    await store.requestApproval(lease, { ...REQUEST, callId: 'c2', handle: 'm2.1' });
    await store.answerApproval('s1', 'c1', { answer: 'deny', reason: 'no', handle: 'm2.0' });
    await store.requestApproval(lease, { ...REQUEST, handle: 'm10.0' });
    const late = await store.answerApproval('s1', 'c1', { answer: 'always', handle: 'm2.0' });
    assert.deepEqual([late?.isNew, late?.approval.answer, late?.events], [false, 'deny', []]);
    await refused(store.answerApproval('s1', 'c1', { answer: 'once' }), 'invalid_request');
    for (const handle of ['m2.1', 'm3.0'])
      assert.equal(await store.answerApproval('s1', 'c1', { answer: 'once', handle }), undefined);
    const waiting = await store.listApprovals('s1', { open: true });
    assert.deepEqual(
      waiting.map(({ handle, answer }) => [handle, answer]),
      [
        ['m2.1', undefined],
        ['m10.0', undefined],
      ],
    );
  });

  it('refuses a request under a lost lease, and deletes requests with their session', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.finishRun(lease, {
      status: 'interrupted',
      sessionStatus: 'active',
      onlyIfQueueEmpty: false,
      events: [],
    });
    await acquire(store, 's1', 'another');
    await refused(store.requestApproval(lease, REQUEST), 'lease_lost');
    await store.deleteSession('s1');
    await refused(store.listApprovals('s1'), 'session_not_found');
  });
}
