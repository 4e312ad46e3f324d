import assert from 'node:assert/strict';
import { buildView, type ContextLog, countHidden } from '@longhaul/context/engine';
import type { Lease, Store } from '@longhaul/core';
import {
  type Compaction,
  isMessageMark,
  type Mark,
  type Message,
  type ToolPart,
  ZERO_USAGE,
} from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import { draft, heldSession, newSession, type OpenStore, refused, text } from './store-fixtures.ts';

export function viewContract({ it }: ContractRunner, open: OpenStore): void {
  it('loads what the next request needs: the same view as the whole log, without the parts of hidden messages', async () => {
    await using store = await open({ now: () => 100 });
    const lease = await heldSession(store);
    await fill(store, lease);
    await sameView(store, []);
    await store.recordMarks(lease, [prune('p1', 'm2'), prune('p6', 'm6'), pin('pin-1', 'm3')]);
    await sameView(store, []);
    await store.recordCompaction(lease, compaction('c1', 1, ['m2']), { marks: [prune('p5', 'm5', 'c1')] });
    await sameView(store, ['m2']);
    await store.recordCompaction(lease, compaction('c2', 2, ['m2', 'm3', 'm4', 'm5']));
    const view = await sameView(store, ['m2', 'm4', 'm5']);
    assert.deepEqual(
      view.marks.map(({ id }) => id),
      ['p6', 'pin-1', 'c2'],
    );
    const whole = await store.loadLog('s1');
    assert.deepEqual(view.messages.map(known), whole.messages.map(known));
    await store.undoMark('s1', 'pin-1', 1);
    await sameView(store, ['m2', 'm3', 'm4', 'm5']);
  });

  it('loads consecutive hidden messages as the last of them, and stores what they stand for with the next compaction', async () => {
    await using store = await open({ now: () => 100 });
    const lease = await heldSession(store);
    await fill(store, lease);
    await store.recordMarks(lease, [prune('p2', 'm2'), prune('p6', 'm6'), pin('pin-1', 'm4')]);
    assert.deepEqual(await collapsed(store), { ids: ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'], standsFrom: [] });
    await store.recordCompaction(lease, compaction('c1', 1, ['m2', 'm3', 'm4', 'm5']));
    assert.deepEqual(await collapsed(store), {
      ids: ['m1', 'm3', 'm4', 'm5', 'm6'],
      standsFrom: [['m3', 2]],
    });
    await store.undoMark('s1', 'pin-1', 1);
    assert.deepEqual(await collapsed(store), { ids: ['m1', 'm5', 'm6'], standsFrom: [['m5', 2]] });
    const spans: [number, number][] = [[2, 6]];
    await store.appendMessage(lease, draft('m7', [text('last')]));
    await store.recordCompaction(lease, compaction('c2', 2, ['m5', 'm6']), { spans });
    assert.deepEqual(await collapsed(store), { ids: ['m1', 'm6', 'm7'], standsFrom: [['m6', 2]] });
    const { marks } = await store.readMarks('s1');
    const newest = marks.findLast((mark) => mark.kind === 'compaction');
    assert.deepEqual(newest?.hides, ['m2', 'm3', 'm4', 'm5', 'm6']);
    await store.undoMark('s1', 'c2', 2);
    assert.deepEqual(await collapsed(store), { ids: ['m1', 'm5', 'm6', 'm7'], standsFrom: [['m5', 2]] });
  });

  it('returns an undone compaction, so that the next one waits, and shows the messages it hid', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await fill(store, lease);
    await store.recordCompaction(lease, compaction('c1', 1, ['m2']));
    await store.recordCompaction(lease, compaction('c2', 2, ['m2', 'm3', 'm4']), {
      marks: [prune('p5', 'm5', 'c2')],
    });
    await store.undoMark('s1', 'c2', 77);
    const view = await sameView(store, ['m2']);
    assert.deepEqual(
      view.marks.map(({ id, undoneAt }) => [id, undoneAt]),
      [
        ['c1', undefined],
        ['c2', 77],
      ],
    );
    await store.undoMark('s1', 'c1', 78);
    await sameView(store, []);
  });

  it('is empty for a new session, and refuses a missing one', async () => {
    await using store = await open();
    await store.createSession(newSession('s1'));
    const { messages, marks, unloaded } = await store.loadView('s1');
    assert.deepEqual([messages, marks, [...unloaded]], [[], [], []]);
    await refused(store.loadView('absent'), 'session_not_found');
  });

  it('keeps the newest checkpoint, stored with its compaction', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await fill(store, lease);
    assert.equal(await store.loadCheckpoint('s1'), undefined);
    await store.recordCompaction(lease, compaction('c1', 1, ['m2']), {
      checkpoint: { sequence: 3, fold: '{}' },
    });
    await store.recordCompaction(lease, compaction('c2', 2, ['m2', 'm3']));
    assert.deepEqual(await store.loadCheckpoint('s1'), { sequence: 3, fold: '{}' });
    const checkpoint = { sequence: 6, fold: '{"more":1}' };
    await store.recordCompaction(lease, compaction('c3', 3, ['m2', 'm3', 'm4']), { checkpoint });
    assert.deepEqual(await store.loadCheckpoint('s1'), checkpoint);
    await store.deleteSession('s1');
    await heldSession(store, 's1').then((again) => assert.ok(again));
    assert.equal(await store.loadCheckpoint('s1'), undefined);
  });
}

/** Loads the collapsed view, which must show the same as the whole log. */
async function collapsed(store: Store) {
  const view = await store.loadView('s1', { collapse: true });
  const whole = await store.loadLog('s1');
  assert.deepEqual(contents(view), contents(whole));
  const shown = new Set(view.messages.filter(({ id }) => !view.unloaded.has(id)).map(({ id }) => id));
  for (const mark of view.marks) if (isMessageMark(mark)) assert.ok(shown.has(mark.messageId), mark.id);
  assert.equal(countHidden(view), countHidden(whole));
  return { ids: view.messages.map(({ id }) => id), standsFrom: [...view.standsFrom] };
}

function contents(log: ContextLog) {
  return buildView(log).map(({ message, source }) => ({ message, id: source?.id }));
}

async function sameView(store: Store, unloaded: string[]) {
  const view = await store.loadView('s1');
  assert.deepEqual([...view.unloaded].toSorted(), unloaded);
  for (const { id, parts } of view.messages) assert.equal(parts.length === 0, view.unloaded.has(id), id);
  const whole = await store.loadLog('s1');
  assert.deepEqual(contents(view), contents(whole));
  return view;
}

async function fill(store: Store, lease: Lease): Promise<void> {
  const call: ToolPart = { type: 'tool', callId: 'c', name: 'grep', input: {}, state: 'completed' };
  const output = [{ type: 'text', text: 'found\n'.repeat(100) } as const];
  await store.appendMessage(lease, draft('m1', [text('do it')], { role: 'user' }));
  for (const id of ['m2', 'm3', 'm4', 'm5', 'm6']) {
    await store.appendMessage(
      lease,
      draft(id, [text(`words of ${id}`), { ...call, output }], { usage: ZERO_USAGE }),
    );
  }
}

/** Returns the fields of a message that are present whether or not its parts are loaded. */
function known({ id, sequence, role, status, tokenCount, createdAt, metadata, usage }: Message) {
  return { id, sequence, role, status, tokenCount, createdAt, metadata, usage };
}

const pin = (id: string, messageId: string) => ({ kind: 'pin', id, messageId, createdAt: 1 }) as const;

function prune(id: string, messageId: string, compactionId?: string): Mark {
  const mark = { kind: 'prune', id, messageId, partIndex: 1, compactedAt: 1 } as const;
  return compactionId === undefined ? mark : { ...mark, compactionId };
}

function compaction(id: string, round: number, hides: string[]): Omit<Compaction, 'kind' | 'sessionId'> {
  const summary = { ledger: `facts of ${id}`, narrative: 'words' };
  return {
    id,
    round,
    strategy: 's',
    reason: 'manual',
    hides,
    createdAt: 5,
    tokensBefore: 9,
    tokensAfter: 4,
    summary,
  };
}
