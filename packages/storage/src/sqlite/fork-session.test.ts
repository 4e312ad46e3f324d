import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ForkOptions } from '@longhaul/core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openSqliteStore, type SqliteStore } from './index.ts';

const MESSAGES = 60;
const CHARS = 100_000;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-fork-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the fork of a long session', () => {
  it('lets others write and stays hidden until it is complete (one write held the lock for 12 s at 200 MB)', async () => {
    const path = join(folder, 'long.db');
    await using store = await openSqliteStore({ path });
    await fill(store);
    await using other = await openSqliteStore({ path, busyTimeoutMs: 1 });
    let isForked = false;
    const forking = store.forkSession('s1', session('fork'), options()).then((fork) => {
      isForked = true;
      return fork;
    });
    let written = 0;
    for (; !isForked; written += 1) {
      if (written === 2) await assertNoFork(other);
      await other.updateSession('s1', { title: `Title ${written}` });
    }
    assert.ok(written > 3, `${written} writes during the copy`);
    assert.equal((await forking).id, 'fork');
    const { messages, marks } = await store.loadLog('fork');
    assert.equal(messages.length, MESSAGES);
    assert.deepEqual(
      marks.map((mark) => mark.kind === 'compaction' && mark.hides),
      [messages.slice(1, 30).map(({ id }) => id)],
    );
    assert.equal((await other.search('haystack', { sessionId: 'fork' })).length, 20);
  });

  it('leaves no rows when its source is deleted during the copy', async () => {
    const path = join(folder, 'deleted.db');
    await using store = await openSqliteStore({ path });
    await fill(store);
    const forking = store.forkSession('s1', session('fork'), options());
    const refused = assert.rejects(forking, { code: 'session_not_found' });
    await Promise.all([refused, store.deleteSession('s1')]);
    assert.deepEqual(await store.search('haystack'), []);
    using database = new DatabaseSync(path, { readOnly: true });
    for (const table of ['sessions', 'messages', 'parts', 'marks', 'compactions'])
      assert.equal(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.['rows'], 0, table);
  });
});

async function assertNoFork(other: SqliteStore): Promise<void> {
  assert.equal(await other.getSession('fork'), undefined);
  assert.deepEqual(
    (await other.listSessions()).map(({ id }) => id),
    ['s1'],
  );
  assert.deepEqual(
    new Set((await other.search('haystack', { limit: 1000 })).map(({ sessionId }) => sessionId)),
    new Set(['s1']),
  );
  await assert.rejects(other.updateSession('fork', { title: 'mine' }), { code: 'session_not_found' });
}

async function fill(store: SqliteStore): Promise<void> {
  await store.createSession(session('s1'));
  const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
  const claim = { runId: 'r1', owner, ttlMs: 60_000, isAlive: () => true };
  const { lease } = await store.acquireLease('s1', claim);
  for (let number = 0; number < MESSAGES; number += 1) {
    const base = { role: 'assistant', status: 'done', createdAt: number, tokenCount: 1 } as const;
    const parts = [{ type: 'text', text: `haystack ${'x'.repeat(CHARS)}`, state: 'done' } as const];
    await store.appendMessage(lease, { id: `m${number}`, ...base, parts });
  }
  const hides = Array.from({ length: 29 }, (_, index) => `m${index + 1}`);
  const summary = { ledger: 'facts', narrative: '' };
  const sizes = { tokensBefore: 2, tokensAfter: 1, createdAt: MESSAGES };
  const kind = { round: 1, strategy: 'reactive-overflow', reason: 'threshold' } as const;
  await store.recordCompaction(lease, { id: 'c1', ...kind, hides, summary, ...sizes });
}

function options(): ForkOptions {
  let ids = 0;
  return {
    newId: () => {
      ids += 1;
      return `new-${ids}`;
    },
    close: (part) => part,
  };
}

function session(id: string) {
  return { id, createdAt: 1, task: '', title: '', model: 'm', workspace: '/' };
}
