import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'vitest';
import { openSqliteStore } from './index.ts';

it('skips damaged rows, reports them and loads the rest', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-damaged-'));
  const path = join(folder, 'store.db');
  await using store = await openSqliteStore({ path });
  await store.createSession({ id: 's1', createdAt: 1, task: '', title: '', model: 'm', workspace: '/' });
  const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
  const { lease } = await store.acquireLease('s1', { runId: 'r', owner, ttlMs: 9, isAlive: () => true });
  const text = (value: string) => ({ type: 'text', text: value, state: 'done' }) as const;
  const base = { role: 'assistant', status: 'done', createdAt: 1, tokenCount: 1 } as const;
  for (const id of ['m1', 'm2', 'm3']) {
    await store.appendMessage(lease, { id, ...base, parts: [text('zero'), text('one'), text('two')] });
  }
  const pin = { kind: 'pin', messageId: 'm1', createdAt: 1 } as const;
  await store.recordMarks(lease, [
    { ...pin, id: 'k1' },
    { ...pin, id: 'k2' },
  ]);

  const database = new DatabaseSync(path);
  database.exec(`
    UPDATE parts SET body = '{"type":"text","text":7,"state":"done"}' WHERE message_id = 'm1' AND part_index = 1;
    UPDATE parts SET body = '{"type":"te' WHERE message_id = 'm3' AND part_index = 0;
    UPDATE messages SET role = 'wizard' WHERE id = 'm2';
    UPDATE marks SET body = 'null' WHERE id = 'k1';
  `);
  database.close();

  const log = await store.loadLog('s1');
  assert.deepEqual(
    log.damaged.map(({ table, id }) => `${table} ${id}`),
    ['parts m1/1', 'parts m3/0', 'messages m2', 'marks k1'],
  );
  assert.ok(log.damaged.every(({ reason }) => reason !== ''));
  assert.deepEqual(
    log.messages.map(({ id }) => id),
    ['m1', 'm3'],
  );
  // Parts keep their index, because marks and handles refer to parts by index.
  assert.deepEqual(
    log.messages[0]?.parts.map(({ type }) => type),
    ['text', 'notice', 'text'],
  );
  assert.deepEqual(log.messages[1]?.parts.slice(1), [text('one'), text('two')]);
  assert.deepEqual(
    log.marks.map(({ id }) => id),
    ['k2'],
  );
  assert.deepEqual((await store.search('zero')).length, 3);
  await rm(folder, { recursive: true });
});
