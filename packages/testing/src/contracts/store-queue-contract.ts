import assert from 'node:assert/strict';
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

const LIMIT = { maxPending: 3 };

export function queueContract({ it }: ContractRunner, open: OpenStore): void {
  it('never stores an event before an earlier one of its session, even if the clock is set back', async () => {
    let time = 5_000;
    await using store = await open({ now: () => time });
    await heldSession(store);
    await store.enqueue('s1', queued('q1'), LIMIT);
    time = 1_000;
    await store.enqueue('s1', queued('q2'), LIMIT);
    time = 6_000;
    await store.enqueue('s1', queued('q3'), LIMIT);
    const events = await store.readEvents('s1', { after: 0 });
    assert.deepEqual(
      events.map(({ at }) => at),
      [5_000, 5_000, 6_000],
    );
  });

  it('lists the sessions with queued messages, the longest-waiting first', async () => {
    await using store = await open();
    for (const id of ['s1', 's2', 's3', 's4']) await store.createSession(newSession(id));
    for (const id of ['s3', 's1', 's2', 's3']) {
      await store.enqueue(id, queued(`q-${(await store.listQueue(id)).length}`), LIMIT);
    }
    const listed = (limit: number) => store.listQueuedSessions({ limit });
    assert.deepEqual(await listed(9), ['s3', 's1', 's2']);
    assert.deepEqual(await listed(1), ['s3']);
    await store.clearQueue('s3');
    assert.deepEqual(await listed(9), ['s1', 's2']);
  });

  it('queues messages in order, with positions and events', async () => {
    await using store = await open({ now: () => 77 });
    await heldSession(store);
    const first = await store.enqueue('s1', { ...queued('q1'), metadata: { from: 'web' } }, LIMIT);
    const event = { type: 'message:queued', id: 'q1', position: 1, sessionId: 's1', at: 77, number: 1 };
    assert.deepEqual(first, { position: 1, events: [event] });
    assert.equal((await store.enqueue('s1', queued('q2'), LIMIT)).position, 2);
    assert.deepEqual(await store.listQueue('s1'), [
      { ...queued('q1'), metadata: { from: 'web' } },
      queued('q2'),
    ]);
    await refused(store.enqueue('absent', queued('q1'), LIMIT), 'session_not_found');
  });

  it('keeps the origin of a queued message, and names it in the event', async () => {
    await using store = await open({ now: () => 77 });
    await heldSession(store);
    const origin = { kind: 'session', sessionId: 's2', title: 'The other' } as const;
    const { events } = await store.enqueue('s1', { ...queued('q1'), metadata: { origin } }, LIMIT);
    assert.deepEqual(events, [
      { type: 'message:queued', id: 'q1', position: 1, origin, sessionId: 's1', at: 77, number: 1 },
    ]);
    assert.deepEqual(await store.readEvents('s1', { after: 0 }), events);
    assert.deepEqual(await store.listQueue('s1'), [{ ...queued('q1'), metadata: { origin } }]);
  });

  it('stores a repeated id once and returns the first result, even after it was taken', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    const first = await store.enqueue('s1', queued('q1'), { maxPending: 1 });
    assert.deepEqual(await store.enqueue('s1', queued('q1', 'changed'), { maxPending: 1 }), first);
    assert.deepEqual(await store.listQueue('s1'), [queued('q1')]);
    await store.takeQueue(lease, () => ({ drafts: [draft('m1', [text('x')])], events: [] }));
    assert.deepEqual(await store.enqueue('s1', queued('q1'), { maxPending: 1 }), first);
    assert.deepEqual(await store.listQueue('s1'), []);
    assert.equal((await store.readEvents('s1')).length, 1);
  });

  it('moves a waiting message to a position, and takes the messages in that order', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    const ids = async () => (await store.listQueue('s1')).map(({ id }) => id);
    await store.enqueue('s1', queued('q0'), { maxPending: 9 });
    await store.takeQueue(lease, () => ({ drafts: [draft('m1', [text('x')])], events: [] }));
    for (const id of ['q1', 'q2', 'q3', 'q4']) await store.enqueue('s1', queued(id), { maxPending: 9 });
    assert.equal(await store.moveQueued('s1', 'q4', 1), true);
    assert.deepEqual(await ids(), ['q4', 'q1', 'q2', 'q3']);
    assert.equal(await store.moveQueued('s1', 'q4', 3), true);
    assert.deepEqual(await ids(), ['q1', 'q2', 'q4', 'q3']);
    assert.equal(await store.moveQueued('s1', 'q1', 100), true);
    assert.equal(await store.moveQueued('s1', 'q2', 1), true);
    await store.enqueue('s1', queued('q5'), { maxPending: 9 });
    assert.deepEqual(await ids(), ['q2', 'q4', 'q3', 'q1', 'q5']);
    assert.equal(await store.moveQueued('s1', 'q0', 1), false);
    await store.removeQueued('s1', 'q3');
    assert.equal(await store.moveQueued('s1', 'q3', 1), false);
    await refused(store.moveQueued('absent', 'q1', 1), 'session_not_found');
    let taken: string[] = [];
    await store.takeQueue(lease, (messages) => {
      taken = messages.map(({ id }) => id);
      return { drafts: [draft('m2', [text('x')])], events: [] };
    });
    assert.deepEqual(taken, ['q2', 'q4', 'q1', 'q5']);
  });

  it('refuses a message beyond maxPending', async () => {
    await using store = await open();
    await heldSession(store);
    for (const id of ['q1', 'q2', 'q3']) await store.enqueue('s1', queued(id), LIMIT);
    const full = await refused(store.enqueue('s1', queued('q4'), LIMIT), 'queue_full');
    assert.deepEqual(full.data, { sessionId: 's1', pending: 3, maxPending: 3 });
    assert.equal(await store.removeQueued('s1', 'q2'), true);
    assert.equal((await store.enqueue('s1', queued('q4'), LIMIT)).position, 3);
    assert.deepEqual(
      (await store.listQueue('s1')).map(({ id }) => id),
      ['q1', 'q3', 'q4'],
    );
  });

  it('edits, removes and clears queued messages only', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    for (const id of ['q1', 'q2', 'q3']) await store.enqueue('s1', queued(id), LIMIT);
    assert.equal(await store.editQueued('s1', 'q2', [{ type: 'text', text: 'better' }]), true);
    assert.deepEqual((await store.listQueue('s1'))[1], queued('q2', 'better'));
    assert.equal(await store.removeQueued('s1', 'q1'), true);
    assert.equal(await store.removeQueued('s1', 'q1'), false);
    assert.equal(await store.editQueued('s1', 'absent', []), false);
    assert.equal(await store.clearQueue('s1'), 2);
    assert.equal(await store.clearQueue('s1'), 0);
    await store.enqueue('s1', queued('q5'), LIMIT);
    await store.takeQueue(lease, () => ({ drafts: [draft('m1', [text('x')])], events: [] }));
    assert.equal(await store.editQueued('s1', 'q5', []), false);
    assert.equal(await store.removeQueued('s1', 'q5'), false);
  });

  it('takes all queued messages and appends one message made of them, once', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.enqueue('s1', queued('q1'), LIMIT);
    await store.enqueue('s1', queued('q2'), LIMIT);
    const taken: string[][] = [];
    const build: Parameters<typeof store.takeQueue>[1] = (messages) => {
      const ids = messages.map(({ id }) => id);
      taken.push(ids);
      const parts = messages.flatMap(({ content }) =>
        content.map((part) => text(part.type === 'text' ? part.text : '')),
      );
      return {
        drafts: [draft(`made-of-${ids.join('+')}`, parts, { role: 'user' })],
        events: [{ type: 'message:dequeued', count: ids.length, ids, coalesced: true }],
      };
    };
    const both = await Promise.all([store.takeQueue(lease, build), store.takeQueue(lease, build)]);
    const [answer, ...others] = both.filter((taker) => taker !== undefined);
    assert.equal(others.length, 0);
    assert.deepEqual(taken, [['q1', 'q2']]);
    assert.equal(answer?.messages[0]?.id, 'made-of-q1+q2');
    assert.deepEqual(
      answer?.events.map(({ type, number }) => [type, number]),
      [['message:dequeued', 3]],
    );
    const { messages } = await store.loadLog('s1');
    assert.deepEqual(messages, answer?.messages);
    assert.deepEqual(messages[0]?.parts, [text('q1'), text('q2')]);
    assert.equal(await store.takeQueue(lease, build), undefined);
  });

  it('takes the queue together with the note that follows the message, or not at all', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.appendMessage(lease, draft('m0', [text('x')]));
    await store.enqueue('s1', queued('q1'), LIMIT);
    const taken = (note: string) => ({
      drafts: [draft('m1', [text('q1')]), draft('m2', [text('q2')])],
      note: draft(note, [text('note')]),
      events: [],
    });
    await refused(
      store.takeQueue(lease, () => taken('m0')),
      'internal',
    );
    assert.deepEqual(await store.listQueue('s1'), [queued('q1')]);
    const stored = await store.takeQueue(lease, () => taken('n1'));
    assert.deepEqual((await store.loadLog('s1')).messages.slice(1), [
      ...(stored?.messages ?? []),
      stored?.note,
    ]);
    assert.deepEqual(
      stored?.messages.map(({ id, sequence }) => [id, sequence]),
      [
        ['m1', 2],
        ['m2', 3],
      ],
    );
    assert.equal((await store.appendMessage(lease, draft('m3', []))).message.sequence, 5);
  });

  it('takes nothing if the message is not built', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.enqueue('s1', queued('q1'), LIMIT);
    assert.equal(await store.takeQueue(lease, () => undefined), undefined);
    assert.deepEqual(await store.listQueue('s1'), [queued('q1')]);
  });

  it('loses nothing if the message cannot be built or the lease is lost', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.enqueue('s1', queued('q1'), LIMIT);
    const failing = store.takeQueue(lease, () => {
      throw new Error('no message today');
    });
    await refused(failing, 'internal');
    await store.acquireLease('s1', { runId: 'run-2', owner: OWNER, ttlMs: 1, isAlive: () => false });
    await refused(
      store.takeQueue(lease, () => assert.fail('built for a stale lease')),
      'lease_lost',
    );
    assert.deepEqual(await store.listQueue('s1'), [queued('q1')]);
    assert.deepEqual((await store.loadLog('s1')).messages, []);
  });

  it('keeps the queue after the end of a run', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.enqueue('s1', queued('q1'), LIMIT);
    await store.finishRun(lease, {
      status: 'cancelled',
      sessionStatus: 'cancelled',
      onlyIfQueueEmpty: false,
      events: [],
    });
    const next = await acquire(store, 's1', 'run-2');
    const taken = await store.takeQueue(next, () => ({ drafts: [draft('m1', [text('x')])], events: [] }));
    assert.equal(taken?.messages[0]?.id, 'm1');
  });
}
