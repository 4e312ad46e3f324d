import assert from 'node:assert/strict';
import { type Mark, type PruneMark, treeReference } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import { draft, heldSession, type OpenStore, refused, text } from './store-fixtures.ts';

const prune = (id: string): PruneMark => ({
  kind: 'prune',
  id,
  messageId: 'm1',
  partIndex: 0,
  compactedAt: 5,
});
const compaction = (id: string, round: number) => ({
  id,
  round,
  strategy: 'reactive-overflow',
  reason: 'threshold' as const,
  tokensBefore: 900,
  tokensAfter: 100,
  summary: { ledger: 'facts', narrative: '' },
  hides: ['m1', 'm2'],
  createdAt: 6,
});
const asMark = (id: string, round: number): Mark => ({
  kind: 'compaction',
  sessionId: 's1',
  ...compaction(id, round),
});

export function markContract({ it }: ContractRunner, open: OpenStore): void {
  it('stores marks of every kind, and returns them in the order they were recorded', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.appendMessage(lease, draft('m1', [text('x')]));
    const cut: Mark = { kind: 'cut', id: 'k3', messageId: 'm1', partIndex: 0, keepChars: 10, createdAt: 7 };
    const pin: Mark = { kind: 'pin', id: 'k1', messageId: 'm1', createdAt: 8 };
    const omit: Mark = {
      kind: 'omit',
      id: 'k4',
      messageId: 'm1',
      partIndex: 0,
      what: 'media',
      refusalId: 'r1',
      createdAt: 9,
    };
    const revert: Mark = {
      kind: 'revert',
      id: 'k5',
      at: 1,
      to: 0,
      treeBefore: treeReference('a'.repeat(64)),
      treeAfter: treeReference('b'.repeat(64)),
      undoes: 'k0',
      createdAt: 10,
    };
    await store.recordMarks(lease, [prune('k2'), pin, omit, revert]);
    const event = { type: 'context:pruned', prunedCount: 1, savedTokens: 2 } as const;
    const { events } = await store.recordCompaction(lease, compaction('c1', 1), {
      marks: [cut],
      events: [event],
    });
    assert.deepEqual(
      events.map(({ type, number }) => [type, number]),
      [['context:pruned', 1]],
    );
    const { marks, messages } = await store.loadLog('s1');
    assert.deepEqual(marks, [prune('k2'), pin, omit, revert, asMark('c1', 1), cut]);
    assert.deepEqual(messages[0]?.parts, [text('x')], 'marks never change the log');
  });

  it('records a compaction with all its marks and events, or nothing', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.recordMarks(lease, [prune('k1')]);
    const event = { type: 'context:undone', round: 1 } as const;
    const options = { marks: [prune('k2'), prune('k1')], events: [event] };
    await refused(store.recordCompaction(lease, compaction('c1', 1), options), 'internal');
    assert.deepEqual((await store.loadLog('s1')).marks, [prune('k1')]);
    assert.deepEqual(await store.readEvents('s1'), []);
    await store.recordCompaction(lease, compaction('c1', 1));
    assert.equal((await store.loadLog('s1')).marks.length, 2);
  });

  it('records a compaction together with the note that follows it', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    for (const id of ['m1', 'm2']) await store.appendMessage(lease, draft(id, [text('x')]));
    const note = draft('n1', [text('keep')], { role: 'user' });
    const taken = { marks: [prune('k1'), prune('k1')], note };
    await refused(store.recordCompaction(lease, compaction('c1', 1), taken), 'internal');
    const known = { note: draft('m1', [text('keep')]) };
    await refused(store.recordCompaction(lease, compaction('c1', 1), known), 'internal');
    const before = await store.loadLog('s1');
    assert.deepEqual([before.marks.length, before.messages.length], [0, 2]);
    const stored = await store.recordCompaction(lease, compaction('c1', 1), { note });
    const { marks, messages } = await store.loadLog('s1');
    assert.deepEqual(marks, [asMark('c1', 1)]);
    assert.deepEqual(messages.slice(2), [stored.note]);
    assert.deepEqual(stored.note, { ...note, sessionId: 's1', sequence: 3 });
    assert.equal((await store.appendMessage(lease, draft('m3', []))).message.sequence, 4);
  });

  it('undoes a mark once, and keeps the row', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await heldSession(store, 's2');
    await store.recordCompaction(lease, compaction('c1', 1), { marks: [prune('k1')] });
    assert.equal(await store.undoMark('s1', 'c1', 50), true);
    assert.equal(await store.undoMark('s1', 'c1', 60), false);
    assert.equal(await store.undoMark('s1', 'absent', 60), false);
    assert.equal(await store.undoMark('s2', 'k1', 60), false);
    assert.equal(await store.undoMark('s1', 'k1', 70), true);
    const { marks } = await store.loadLog('s1');
    assert.deepEqual(marks, [
      { ...asMark('c1', 1), undoneAt: 50 },
      { ...prune('k1'), undoneAt: 70 },
    ]);
  });

  it('undoes the marks of a compaction with it, and no others', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    const belonging = (id: string, compactionId: string): PruneMark => ({ ...prune(id), compactionId });
    await store.recordMarks(lease, [prune('k1')]);
    await store.recordCompaction(lease, compaction('c1', 1), { marks: [belonging('k2', 'c1')] });
    await store.recordCompaction(lease, compaction('c2', 2), {
      marks: [belonging('k3', 'c2'), { ...belonging('k4', 'c2'), undoneAt: 40 }],
    });
    assert.equal(await store.undoMark('s1', 'c2', 50), true);
    const { marks } = await store.loadLog('s1');
    assert.deepEqual(
      marks.map(({ id, undoneAt }) => [id, undoneAt]),
      [
        ['k1', undefined],
        ['c1', undefined],
        ['k2', undefined],
        ['c2', 50],
        ['k3', 50],
        ['k4', 40],
      ],
    );
  });
}
