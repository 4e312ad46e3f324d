import assert from 'node:assert/strict';
import { buildView, countHidden, headOf, liveLog, treeBefore } from '@longhaul/context/engine';
import type { ForkOptions, Lease, Store } from '@longhaul/core';
import {
  type Compaction,
  isMessageMark,
  type PatchPart,
  type RevertMark,
  treeReference,
} from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import { draft, heldSession, newSession, type OpenStore, refused, text } from './store-fixtures.ts';

export function revertContract({ it }: ContractRunner, open: OpenStore): void {
  it('loads the view of a reverted session without the messages and marks that the conversation left', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await append(store, lease, 6);
    await store.recordMarks(lease, [pin('pin-3', 'm3', 2010)]);
    await store.recordCompaction(lease, compaction('c1', ['m2'], 2006));
    await append(store, lease, 4);
    await store.recordCompaction(lease, compaction('c2', ['m2', 'm4', 'm5', 'm6', 'm7'], 2010));
    await store.recordMarks(lease, [pin('pin-8', 'm8', 2010)]);
    const events = await store.recordMarks(lease, [revert('r1', 10, 7, 2008)], [REVERTED]);
    assert.deepEqual(
      events.map(({ type, number }) => [type, number]),
      [['session:reverted', 1]],
    );
    const view = await sameViews(store);
    assert.deepEqual(idsOf(view), ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7']);
    assert.deepEqual(markIds(view), ['c1']);
    await append(store, lease, 2);
    assert.deepEqual(idsOf(await sameViews(store)).slice(-2), ['m11', 'm12']);
    const log = await store.loadLog('s1');
    assert.equal(log.messages.length, 12);
    assert.deepEqual(markIds(log), ['pin-3', 'c1', 'c2', 'pin-8', 'r1']);
    assert.equal(headOf(log.marks, 12), 12);
  });

  it('returns to the branch and its marks when a revert is taken back', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await append(store, lease, 6);
    await store.recordCompaction(lease, compaction('c1', ['m2', 'm3'], 2006));
    await store.recordMarks(lease, [revert('r1', 6, 4, 2005)]);
    assert.deepEqual(idsOf(await sameViews(store)), ['m1', 'm2', 'm3', 'm4']);
    await append(store, lease, 2);
    await store.recordCompaction(lease, compaction('c2', ['m2', 'm3', 'm4', 'm7'], 2008));
    assert.deepEqual(markIds(await sameViews(store)), ['c2']);
    await store.recordMarks(lease, [{ ...revert('r2', 8, 6, 2007), undoes: 'r1' }]);
    const back = await sameViews(store);
    assert.deepEqual(idsOf(back), ['m1', 'm2', 'm3', 'm4', 'm5', 'm6']);
    assert.deepEqual(markIds(back), ['c1']);
    await append(store, lease, 1);
    assert.deepEqual(idsOf(await sameViews(store)).slice(-2), ['m6', 'm9']);
  });

  it('collapses hidden messages up to the reverted ones between them, and can store what they stand for', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await append(store, lease, 6);
    await store.recordMarks(lease, [revert('r1', 6, 4, 2005)]);
    await append(store, lease, 4);
    await store.recordCompaction(lease, compaction('c1', ['m2', 'm3', 'm4', 'm7', 'm8'], 2010));
    await sameViews(store);
    const view = await store.loadView('s1', { collapse: true });
    assert.deepEqual(idsOf(view), ['m1', 'm4', 'm8', 'm9', 'm10']);
    assert.deepEqual(
      [...view.standsFrom],
      [
        ['m4', 2],
        ['m8', 7],
      ],
    );
    const spans: [number, number][] = [
      [2, 4],
      [7, 9],
    ];
    await store.recordCompaction(lease, compaction('c2', ['m4', 'm8', 'm9'], 2010), { spans });
    assert.deepEqual(idsOf(await store.loadView('s1', { collapse: true })), ['m1', 'm4', 'm9', 'm10']);
    const newest = (await store.readMarks('s1')).marks.at(-1);
    assert.deepEqual(newest?.kind === 'compaction' && newest.hides, ['m2', 'm3', 'm4', 'm7', 'm8', 'm9']);
    await sameViews(store);
  });

  it('is empty after a revert to before the first message, and continues with the next sequence', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await append(store, lease, 2);
    await store.recordMarks(lease, [revert('r1', 2, 0, 2001)]);
    assert.deepEqual(idsOf(await sameViews(store)), []);
    assert.deepEqual((await store.readMessages('s1', { limit: 9, skipReverted: true })).messages, []);
    await append(store, lease, 1);
    assert.deepEqual(idsOf(await sameViews(store)), ['m3']);
  });

  it('reads pages with and without reverted messages', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await append(store, lease, 6);
    await store.recordMarks(lease, [revert('r1', 6, 2, 2003)]);
    await append(store, lease, 3);
    const page = async (options: {
      after?: number;
      before?: number;
      limit: number;
      skipReverted?: boolean;
    }) => {
      const { messages } = await store.readMessages('s1', options);
      assert.ok(messages.every(({ parts }) => parts.length > 0));
      return messages.map(({ sequence }) => sequence);
    };
    assert.deepEqual(await page({ limit: 4 }), [6, 7, 8, 9]);
    assert.deepEqual(await page({ limit: 4, skipReverted: true }), [2, 7, 8, 9]);
    assert.deepEqual(await page({ limit: 2, after: 1, skipReverted: true }), [2, 7]);
    assert.deepEqual(await page({ limit: 3, before: 8, skipReverted: true }), [1, 2, 7]);
    assert.deepEqual(await page({ limit: 1, after: 2 }), [3]);
  });

  it('sums the costs of all messages, of reverted ones too', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    assert.equal(await store.costOf('s1'), 0);
    await append(store, lease, 2);
    for (const [id, cost] of [
      ['priced', 0.5],
      ['reverted', 0.25],
    ] as const)
      await store.appendMessage(lease, draft(id, [text(id)], { cost }));
    await store.recordMarks(lease, [revert('r1', 4, 2, 2003)]);
    await store.createSession(newSession('other'));
    assert.equal(await store.costOf('s1'), 0.75);
    assert.equal(await store.costOf('other'), 0);
    await refused(store.costOf('absent'), 'session_not_found');
  });

  it('returns a checkpoint only while its last message is in the conversation', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await append(store, lease, 6);
    const checkpoint = { sequence: 5, fold: '{}' };
    await store.recordCompaction(lease, compaction('c1', ['m1'], 2006), { checkpoint });
    await store.recordMarks(lease, [revert('r1', 6, 5, 2006)]);
    assert.deepEqual(await store.loadCheckpoint('s1'), checkpoint);
    await store.recordMarks(lease, [revert('r2', 6, 4, 2005)]);
    assert.equal(await store.loadCheckpoint('s1'), undefined);
    await append(store, lease, 2);
    assert.equal(await store.loadCheckpoint('s1'), undefined);
    await store.recordMarks(lease, [{ ...revert('r3', 8, 5, 2006), undoes: 'r2' }]);
    assert.deepEqual(await store.loadCheckpoint('s1'), checkpoint);
  });

  it('finds reverted parts only on request, in one session and in all', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    const other = await heldSession(store, 's2');
    await append(store, lease, 4);
    await store.appendMessage(other, draft('other', [text('words of the other')]));
    await store.recordMarks(lease, [revert('r1', 4, 2, 2003)]);
    await append(store, lease, 1);
    const found = async (options: { sessionId?: string; includeReverted?: boolean; limit?: number }) =>
      (await store.search('words', options)).map(({ messageId }) => messageId).toSorted();
    assert.deepEqual(await found({}), ['m1', 'm2', 'm5', 'other']);
    assert.deepEqual(await found({ sessionId: 's1' }), ['m1', 'm2', 'm5']);
    assert.deepEqual(await found({ sessionId: 's2' }), ['other']);
    assert.deepEqual(await found({ sessionId: 's1', includeReverted: true }), ['m1', 'm2', 'm3', 'm4', 'm5']);
    assert.equal((await found({ limit: 3 })).length, 3);
  });

  it('lists the records of changed files in the order of the log, including those of reverted messages', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    assert.deepEqual(await store.listPatches('s1'), []);
    const first = patch(undefined, 'a', false);
    const second = patch('a', 'b', true);
    await store.appendMessage(lease, draft('m1', [text('go'), first, second]));
    await store.appendMessage(lease, draft('m2', [text('nothing')]));
    await store.appendMessage(lease, draft('m3'));
    await store.putPart(lease, { messageId: 'm3', index: 0 }, text('more'));
    const third = { ...patch('b', 'c', true), files: [{ path: 'x'.repeat(50_000), ...ADDED }] };
    await store.putPart(lease, { messageId: 'm3', index: 1 }, third);
    await store.recordMarks(lease, [
      { ...revert('r1', 3, 1, 2002), treeBefore: tree('c'), treeAfter: tree('b') },
    ]);
    const patches = await store.listPatches('s1');
    assert.deepEqual(patches, [
      { sequence: 1, index: 1, part: first },
      { sequence: 1, index: 2, part: second },
      { sequence: 3, index: 1, part: third },
    ]);
    assert.deepEqual(await store.listPatches('s1', { after: 1 }), patches.slice(2));
    assert.deepEqual(await store.listPatches('s1', { after: 0, before: 3 }), patches.slice(0, 2));
    await refused(store.listPatches('absent'), 'session_not_found');
    const { marks } = await store.readMarks('s1');
    assert.equal(treeBefore(4, { patches, marks }), tree('b'));
  });

  it('forks a reverted session whole, and at a message of any branch', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await append(store, lease, 6);
    await store.recordCompaction(lease, compaction('c1', ['m2', 'm3'], 2006));
    await store.recordMarks(lease, [revert('r1', 6, 4, 2005)]);
    await append(store, lease, 2);
    await store.recordMarks(lease, [{ ...revert('r2', 8, 6, 2007), undoes: 'r1' }]);
    await store.recordMarks(lease, [{ ...revert('r3', 8, 8, 2007), undoes: 'r2' }]);
    const branch = async (id: string, at: number | undefined) => {
      await store.forkSession('s1', newSession(id), forkOptions(id, at));
      const log = await store.loadLog(id);
      assert.equal(log.messages.length, at ?? 8);
      const live = liveLog(log);
      const view = await store.loadView(id);
      assert.deepEqual(viewOf(view), viewOf(log));
      const compactions = live.marks.filter(({ kind }) => kind === 'compaction').length;
      return [live.messages.map(({ sequence }) => sequence), compactions];
    };
    assert.deepEqual(await branch('whole', undefined), [[1, 2, 3, 4, 7, 8], 0]);
    assert.deepEqual(await branch('left', 6), [[1, 2, 3, 4, 5, 6], 1]);
    assert.deepEqual(await branch('trunk', 4), [[1, 2, 3, 4], 0]);
    assert.deepEqual(await branch('current', 7), [[1, 2, 3, 4, 7], 0]);
    const { marks } = await store.loadLog('whole');
    const [, first, second, third] = marks;
    assert.ok(first?.kind === 'revert' && second?.kind === 'revert' && third?.kind === 'revert');
    assert.deepEqual([second.undoes, third.undoes], [first.id, second.id]);
    assert.ok(!['r1', 'r2', 'r3'].includes(first.id));
  });
}

const REVERTED = { type: 'session:reverted', handle: 'm8', files: 0, conversation: true } as const;
const ADDED = { change: 'added', mode: '100644', restorable: true } as const;

/** Appends messages, each a millisecond after the one before. Ids and texts have their sequence. */
async function append(store: Store, lease: Lease, count: number): Promise<void> {
  const { messages } = await store.readMessages(lease.sessionId, { limit: 1 });
  for (let added = 1; added <= count; added += 1) {
    const sequence = (messages[0]?.sequence ?? 0) + added;
    const role = sequence % 3 === 1 ? 'user' : 'assistant';
    const fields = { role, createdAt: 2000 + sequence } as const;
    await store.appendMessage(lease, draft(`m${sequence}`, [text(`words of m${sequence}`)], fields));
  }
}

/** Loads the view, which must show the same as the whole log, also if hidden messages are collapsed. */
async function sameViews(store: Store) {
  const whole = await store.loadLog('s1');
  const view = await store.loadView('s1');
  const collapsed = await store.loadView('s1', { collapse: true });
  for (const loaded of [view, collapsed]) {
    assert.deepEqual(viewOf(loaded), viewOf(whole));
    assert.equal(countHidden(loaded), countHidden(whole));
    assert.ok(loaded.marks.every(({ kind }) => kind !== 'revert'));
  }
  const shown = new Set(idsOf(view));
  for (const mark of view.marks) if (isMessageMark(mark)) assert.ok(shown.has(mark.messageId), mark.id);
  assert.deepEqual(
    idsOf(view),
    liveLog(whole).messages.map(({ id }) => id),
  );
  return view;
}

function viewOf(log: Parameters<typeof buildView>[0]) {
  return buildView(log).map(({ message, source }) => ({ message, id: source?.id }));
}

function idsOf({ messages }: { messages: readonly { id: string }[] }) {
  return messages.map(({ id }) => id);
}

function markIds({ marks }: { marks: readonly { id: string }[] }) {
  return marks.map(({ id }) => id);
}

function revert(id: string, at: number, to: number, branchedAt: number): RevertMark {
  return { kind: 'revert', id, at, to, branchedAt, createdAt: 3000 };
}

const pin = (id: string, messageId: string, createdAt: number) =>
  ({ kind: 'pin', id, messageId, createdAt }) as const;

const tree = (letter: string) => treeReference(letter.repeat(64));

function patch(before: string | undefined, after: string, byAgent: boolean): PatchPart {
  const files = before === undefined ? [] : [{ path: 'a.ts', ...ADDED }];
  const earlier = before === undefined ? {} : { before: tree(before) };
  return { type: 'patch', ...earlier, after: tree(after), files, byAgent };
}

function compaction(id: string, hides: string[], createdAt: number): Omit<Compaction, 'kind' | 'sessionId'> {
  const summary = { ledger: `facts of ${id}`, narrative: '' };
  const sizes = { round: 1, tokensBefore: 9, tokensAfter: 4 };
  return { id, strategy: 's', reason: 'manual', hides, createdAt, summary, ...sizes };
}

function forkOptions(prefix: string, at: number | undefined): ForkOptions {
  let made = 0;
  return {
    ...(at === undefined ? {} : { at }),
    newId() {
      made += 1;
      return `${prefix}-${made}`;
    },
    close: (part) => part,
  };
}
