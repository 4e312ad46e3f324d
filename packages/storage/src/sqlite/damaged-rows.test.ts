import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { liveLog } from '@longhaul/context/engine';
import { treeReference } from '@longhaul/protocol';
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

it('ignores and reports damaged reverts and patches, and has one live path in logs and views', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-damaged-'));
  const path = join(folder, 'store.db');
  await using store = await openSqliteStore({ path });
  await store.createSession({ id: 's1', createdAt: 1, task: '', title: '', model: 'm', workspace: '/' });
  const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
  const { lease } = await store.acquireLease('s1', { runId: 'r', owner, ttlMs: 9, isAlive: () => true });
  const after = treeReference('a'.repeat(64));
  for (const sequence of [1, 2, 3, 4, 5]) {
    await store.appendMessage(lease, {
      id: `m${sequence}`,
      role: 'assistant',
      status: 'done',
      createdAt: sequence,
      tokenCount: 1,
      parts: [
        { type: 'text', text: 'words', state: 'done' },
        { type: 'patch', after, files: [], byAgent: false },
      ],
    });
  }
  const revert = { kind: 'revert', at: 5, createdAt: 9 } as const;
  await store.recordMarks(lease, [
    { kind: 'pin', id: 'k1', messageId: 'm1', createdAt: 3 },
    { kind: 'pin', id: 'k2', messageId: 'm1', createdAt: 4 },
    { ...revert, id: 'r1', to: 3, branchedAt: 4 },
    { ...revert, id: 'r2', to: 1, branchedAt: 2 },
    { ...revert, id: 'r3', to: 0, branchedAt: 1 },
  ]);

  const database = new DatabaseSync(path);
  database.exec(`
    UPDATE marks SET body = replace(body, '"to":1', '"to":2') WHERE id = 'r2';
    UPDATE marks SET body = '{"kind":"rev', checksum = NULL WHERE id = 'r3';
    UPDATE marks SET body = 'null' WHERE id = 'k1';
    UPDATE parts SET body = replace(body, 'aaaa', 'bbbb') WHERE message_id = 'm2' AND part_index = 1;
    UPDATE parts SET body = '{"type":"pat', checksum = NULL WHERE message_id = 'm4' AND part_index = 1;
  `);
  database.close();

  const view = await store.loadView('s1');
  const whole = await store.loadLog('s1');
  const collapsed = await store.loadView('s1', { collapse: true });
  const live = liveLog(whole);
  for (const { messages, marks, damaged } of [view, collapsed]) {
    assert.deepEqual(messages, live.messages);
    assert.deepEqual(marks, live.marks);
    assert.deepEqual(damaged.map(({ id }) => id).toSorted(), ['k1', 'm2/1', 'r2', 'r3']);
  }
  assert.deepEqual(
    live.messages.map(({ id }) => id),
    ['m1', 'm2', 'm3'],
  );
  assert.deepEqual(live.marks, []);
  assert.deepEqual(
    (await store.listPatches('s1')).map(({ sequence }) => sequence),
    [1, 3, 5],
  );
  assert.equal((await store.search('words')).length, 3);
  assert.deepEqual((await store.findDamage('s1')).map(({ id }) => id).toSorted(), [
    'k1',
    'm2/1',
    'm4/1',
    'r2',
    'r3',
  ]);
  await rm(folder, { recursive: true });
});
