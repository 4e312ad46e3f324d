import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Lease } from '@longhaul/core';
import type { Mark } from '@longhaul/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { hiddenIdsOf, parseHiddenMessages, toHiddenMessages } from '../shared/hidden-messages.ts';
import { openSqliteStore, type SqliteStore } from './index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-hidden-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('hidden messages of stored compactions', () => {
  it('take a few bytes per compaction (lists of ids grew with the square of a session, to 1.7 MB in 300 steps)', async () => {
    const path = join(folder, 'long.db');
    await using store = await openSqliteStore({ path });
    const { lease } = await begin(store);
    const [messages, compactions, between] = [2000, 500, 4];
    for (let start = 1; start <= messages; start += 100) await append(store, lease, { start, count: 100 });
    // Everything except the task and a pinned message.
    const expected = Array.from({ length: compactions }, (_, index) =>
      idsOf(2, index * between + 1).filter((id) => id !== idOf(40)),
    );
    await Promise.all(expected.map((hides, index) => compact(store, lease, { id: `c${index + 1}`, hides })));

    const columns = hidesColumns(path);
    assert.equal(columns.length, compactions);
    const longest = Math.max(...columns.map(({ length }) => length));
    assert.ok(longest <= '[[2,39],[41,1997]]'.length, `the longest column has ${longest} characters`);
    const { marks } = await store.readMarks('s1');
    assert.deepEqual(hidesOf(marks), expected);
    assert.deepEqual(hidesOf((await store.loadLog('s1')).marks), expected);
    const view = await store.loadView('s1');
    assert.deepEqual(hidesOf(view.marks), [expected.at(-1)]);
    assert.deepEqual([...view.unloaded], expected.at(-1));
    // Callers that read all marks read the ids of few compactions, so the ids are computed on access.
    assert.ok(marks.every((mark) => Object.getOwnPropertyDescriptor(mark, 'hides')?.get !== undefined));
    assert.deepEqual(hidesOf(JSON.parse(JSON.stringify(marks))), expected);
    assert.deepEqual(hidesOf(structuredClone(marks)), expected);
  });

  it('are read from a plain list of ids, in a log, a view and a fork', async () => {
    const path = join(folder, 'older.db');
    await using store = await openSqliteStore({ path });
    const { lease } = await begin(store);
    await append(store, lease, { start: 1, count: 6 });
    await compact(store, lease, { id: 'c1', hides: idsOf(2, 4) });
    change(path, `UPDATE compactions SET checksum = NULL, hides = '${JSON.stringify(idsOf(2, 4))}'`);
    assert.deepEqual(hidesOf((await store.loadLog('s1')).marks), [idsOf(2, 4)]);
    assert.deepEqual([...(await store.loadView('s1')).unloaded], idsOf(2, 4));
    let made = 0;
    const newId = () => {
      made += 1;
      return `new-${made}`;
    };
    await store.forkSession('s1', session('fork'), { at: 5, newId, close: (part) => part });
    assert.deepEqual(hidesOf((await store.loadLog('fork')).marks), [['new-2', 'new-3', 'new-4']]);
  });

  it('keep the order, and ids of messages that are not in the session', async () => {
    const path = join(folder, 'foreign.db');
    await using store = await openSqliteStore({ path });
    const { lease } = await begin(store);
    await append(store, lease, { start: 1, count: 6 });
    const other = await begin(store, 's2');
    await append(store, other.lease, { start: 7, count: 1 });
    const hides = [idOf(3), idOf(4), 'elsewhere', idOf(5), idOf(7), idOf(2)];
    await compact(store, lease, { id: 'c1', hides });
    assert.equal(hidesColumns(path)[0], JSON.stringify([[3, 4], 'elsewhere', [5, 5], idOf(7), [2, 2]]));
    const { marks, damaged } = await store.loadLog('s1');
    assert.deepEqual([hidesOf(marks), damaged], [[hides], []]);
    assert.deepEqual(new Set((await store.loadView('s1')).unloaded), new Set(idsOf(2, 5)));
  });

  it('leave out a message whose row was lost, and are reported as damaged when the column is not a list', async () => {
    const path = join(folder, 'lost.db');
    await using store = await openSqliteStore({ path });
    const { lease } = await begin(store);
    await append(store, lease, { start: 1, count: 6 });
    await compact(store, lease, { id: 'c1', hides: idsOf(2, 4) });
    change(path, `DELETE FROM messages WHERE id = '${idOf(3)}'`);
    assert.deepEqual(hidesOf((await store.loadLog('s1')).marks), [[idOf(2), idOf(4)]]);
    for (const column of ['[[2]]', '[[2,"4"]]', '[7]', '{}', '[[2,']) {
      change(path, `UPDATE compactions SET hides = '${column}'`);
      for (const { marks, damaged, messages } of [await store.loadLog('s1'), await store.loadView('s1')]) {
        assert.deepEqual(
          damaged.map(({ table, id }) => `${table} ${id}`),
          ['compactions c1'],
        );
        assert.deepEqual([marks.length, messages.length], [0, 5]);
      }
    }
  });
});

it('converts ids to ranges and back in the same order', () => {
  const known = fc.uniqueArray(fc.integer({ min: 1, max: 40 })).map((all) => all.sort((a, b) => a - b));
  const hidden = fc.array(fc.integer({ min: 1, max: 50 }));
  fc.assert(
    fc.property(known, hidden, (sequences, numbers) => {
      const index = { sequences, ids: sequences.map(idOf) };
      const stored = JSON.stringify(toHiddenMessages(numbers.map(idOf), index));
      assert.deepEqual(hiddenIdsOf(parseHiddenMessages(stored), index), numbers.map(idOf));
    }),
  );
});

function idOf(sequence: number): string {
  return `01940000-0000-7000-8000-${String(sequence).padStart(12, '0')}`;
}

function idsOf(first: number, last: number): string[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => idOf(first + index));
}

function hidesOf(marks: readonly Mark[]): string[][] {
  return marks.flatMap((mark) => (mark.kind === 'compaction' ? [mark.hides] : []));
}

function session(id: string) {
  return { id, createdAt: 1, task: '', title: '', model: 'm', workspace: '/' };
}

async function begin(store: SqliteStore, id = 's1') {
  await store.createSession(session(id));
  const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
  return store.acquireLease(id, { runId: `r-${id}`, owner, ttlMs: 60_000, isAlive: () => true });
}

async function append(
  store: SqliteStore,
  lease: Lease,
  { start, count }: { start: number; count: number },
): Promise<void> {
  const base = { role: 'assistant', status: 'done', tokenCount: 1 } as const;
  const drafts = idsOf(start, start + count - 1).map((id, index) => ({
    ...base,
    id,
    createdAt: start + index,
    parts: [],
  }));
  await Promise.all(drafts.map((draft) => store.appendMessage(lease, draft)));
}

async function compact(
  store: SqliteStore,
  lease: Lease,
  { id, hides }: { id: string; hides: string[] },
): Promise<void> {
  const sizes = { tokensBefore: 2, tokensAfter: 1, createdAt: 1, round: 1 };
  const summary = { ledger: 'facts', narrative: '' };
  await store.recordCompaction(lease, { id, strategy: 's', reason: 'manual', hides, summary, ...sizes });
}

function hidesColumns(path: string): string[] {
  using database = new DatabaseSync(path, { readOnly: true });
  return database
    .prepare('SELECT hides FROM compactions')
    .all()
    .map(({ hides }) => String(hides));
}

function change(path: string, sql: string): void {
  using database = new DatabaseSync(path);
  database.exec(sql);
}
