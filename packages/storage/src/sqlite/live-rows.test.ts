import { buildView, countHidden, isOnPath, liveLog, livePath } from '@longhaul/context/engine';
import { currentClaimant, type Lease, type Store } from '@longhaul/core';
import type { RevertMark } from '@longhaul/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../memory/index.ts';
import { openSqliteStore } from './index.ts';

interface Action {
  what: 'append' | 'compact' | 'pin' | 'prune' | 'undo' | 'revert' | 'unrevert';
  share: number;
}

const actions = fc.array(
  fc.record({
    what: fc.constantFrom<Action['what']>(
      'append',
      'append',
      'append',
      'append',
      'compact',
      'compact',
      'pin',
      'prune',
      'undo',
      'revert',
      'unrevert',
    ),
    share: fc.double({ min: 0, max: 0.999, noNaN: true }),
  }),
  { maxLength: 40 },
);

const PINNED_BEFORE_COMPACTION: Action[] = [
  { what: 'append', share: 0 },
  { what: 'append', share: 0 },
  { what: 'append', share: 0 },
  { what: 'pin', share: 0.4 },
  { what: 'append', share: 0 },
  { what: 'compact', share: 0.75 },
];

/** Plays random actions on a session. Times ascend, so that each mark has its place. */
class Player {
  readonly #store: Store;
  readonly #lease: Lease;
  #time = 1_000;
  #made = 0;

  constructor(store: Store, lease: Lease) {
    this.#store = store;
    this.#lease = lease;
  }

  async play({ what, share }: Action): Promise<void> {
    this.#time += 1;
    this.#made += 1;
    const log = await this.#store.loadLog('s');
    const { messages } = liveLog(log);
    const chosen = messages[Math.floor(share * messages.length)];
    const id = `k${this.#made}`;
    if (what === 'append') return this.#append(log.messages.length + 1);
    if (what === 'revert' || what === 'unrevert') return this.#revert(id, what === 'unrevert', share);
    if (what === 'undo') {
      const newest = log.marks.findLast(
        ({ kind, undoneAt }) => kind === 'compaction' && undoneAt === undefined,
      );
      await this.#store.undoMark('s', newest?.id ?? '', this.#time);
      return;
    }
    if (chosen === undefined) return;
    if (what === 'compact') return this.#compact(id, chosen.sequence);
    const target = { id, messageId: chosen.id };
    await this.#store.recordMarks(this.#lease, [
      what === 'pin'
        ? { kind: 'pin', ...target, createdAt: this.#time }
        : { kind: 'prune', ...target, partIndex: 1, compactedAt: this.#time },
    ]);
  }

  async #append(sequence: number): Promise<void> {
    const isUser = sequence === 1 || sequence % 5 === 0;
    const text = { type: 'text', text: `words ${sequence}`, state: 'done' } as const;
    const output = [{ type: 'text', text: `found ${sequence}` } as const];
    const call = { type: 'tool', callId: 'c', name: 'grep', input: {}, state: 'completed', output } as const;
    await this.#store.appendMessage(this.#lease, {
      id: `m${sequence}`,
      role: isUser ? 'user' : 'assistant',
      parts: isUser ? [text] : [text, call],
      status: 'done',
      createdAt: this.#time,
      tokenCount: 1,
    });
  }

  /** Hides messages up to one, but not the first user message: no compaction does. */
  async #compact(id: string, until: number): Promise<void> {
    const { messages } = liveLog(await this.#store.loadLog('s'));
    const first = messages.find(({ role }) => role === 'user')?.sequence ?? 0;
    const hidden = messages.filter(({ sequence }) => sequence > first && sequence < until);
    if (first === 0 || hidden.length === 0) return;
    await this.#store.recordCompaction(
      this.#lease,
      {
        id,
        round: 1,
        strategy: 's',
        reason: 'manual',
        tokensBefore: 2,
        tokensAfter: 1,
        summary: { ledger: `ledger ${id}`, narrative: '' },
        hides: hidden.map((message) => message.id),
        createdAt: this.#time,
      },
      { checkpoint: { sequence: messages.at(-1)?.sequence ?? 0, fold: `"${id}"` } },
    );
  }

  async #revert(id: string, isUndo: boolean, share: number): Promise<void> {
    const { messages, marks } = await this.#store.loadLog('s');
    const reverts = marks.filter((mark) => mark.kind === 'revert');
    const undone = isUndo ? reverts[Math.floor(share * reverts.length)] : undefined;
    const to = undone?.at ?? Math.floor(share * (messages.length + 1));
    const branchedAt = messages[to]?.createdAt;
    const mark: RevertMark = { kind: 'revert', id, at: messages.length, to, createdAt: this.#time };
    await this.#store.recordMarks(this.#lease, [
      {
        ...mark,
        ...(branchedAt === undefined ? {} : { branchedAt }),
        ...(undone === undefined ? {} : { undoes: undone.id }),
      },
    ]);
  }
}

async function played(store: Store, list: readonly Action[]): Promise<void> {
  await store.createSession({ id: 's', createdAt: 1, task: '', title: '', model: 'm', workspace: '/' });
  const claim = { runId: 'r', ttlMs: 600_000, ...currentClaimant() };
  const { lease } = await store.acquireLease('s', claim);
  const player = new Player(store, lease);
  for (const action of list) await player.play(action);
}

async function loaded(store: Store) {
  const view = await store.loadView('s');
  const collapsed = await store.loadView('s', { collapse: true });
  const whole = await store.loadLog('s');
  const path = livePath(whole.marks);
  const page = await store.readMessages('s', { limit: 100, skipReverted: true });
  const hits = await store.search('words', { limit: 100 });
  const checkpoint = await store.loadCheckpoint('s');
  expect(page.messages).toEqual(liveLog(whole).messages);
  expect(hits.map(({ sequence }) => sequence).toSorted((a, b) => a - b)).toEqual(
    page.messages.map(({ sequence }) => sequence),
  );
  expect(checkpoint === undefined || isOnPath(path, checkpoint.sequence)).toBe(true);
  for (const { messages, marks, standsFrom, damaged } of [view, collapsed]) {
    const log = { messages, marks, standsFrom };
    expect(damaged).toEqual([]);
    expect(buildView(log)).toEqual(buildView(whole));
    expect(countHidden(log)).toBe(countHidden(whole));
  }
  const shape = ({ messages, marks, unloaded, standsFrom }: typeof view) => ({
    messages: messages.map(({ id, parts }) => [id, parts.length]),
    marks: marks.map((mark) => ({ ...mark })),
    unloaded: [...unloaded],
    standsFrom: [...standsFrom],
  });
  return { view: shape(view), collapsed: shape(collapsed), checkpoint };
}

describe('a session with reverts in SQLite', () => {
  it('has the view of its whole log, and the same as in memory, after random actions', async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (list) => {
        await using sqlite = await openSqliteStore({ path: ':memory:' });
        await using memory = createMemoryStore();
        await played(sqlite, list);
        await played(memory, list);
        expect(await loaded(sqlite)).toEqual(await loaded(memory));
      }),
      { numRuns: 60, examples: [[PINNED_BEFORE_COMPACTION]] },
    );
  });
});
