import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Lease } from '@longhaul/core';
import type { EventPayload, ToolPart } from '@longhaul/protocol';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { namedBlobs } from '../maintenance/named-blobs.ts';
import { openSqliteStore, type SqliteStore } from './index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-once-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const OUTPUT = Array.from({ length: 200 }, (_, line) => `${line} export const value = ${line * 7};`).join(
  '\n',
);
const ANSWER = 'The work is done. '.repeat(30);
const BLOB = `@blob:${'ab'.repeat(32)}`;
const base = { status: 'done', createdAt: 1, tokenCount: 1 } as const;
const call: ToolPart = { type: 'tool', callId: 'c', name: 'read', input: { path: OUTPUT }, state: 'pending' };
const finished: ToolPart = {
  ...call,
  state: 'completed',
  title: 'Read a file',
  output: [{ type: 'text', text: OUTPUT }],
  fullOutput: BLOB,
};
const reported: EventPayload = {
  type: 'llm:tool-result',
  toolName: 'read',
  callId: 'c',
  success: true,
  sanitized: [{ type: 'text', text: OUTPUT }],
  title: 'Read a file',
};
const response: EventPayload = {
  type: 'llm:response',
  content: ANSWER,
  reasoning: 'I thought. '.repeat(20),
  provider: 'p',
  model: 'm',
  finishReason: 'stop',
};
const EVENTS: EventPayload[] = [
  { type: 'llm:tool-call', toolName: 'read', args: { path: OUTPUT }, callId: 'c' },
  reported,
  response,
];

async function work(store: SqliteStore): Promise<Lease> {
  await store.createSession({ id: 's', createdAt: 1, task: '', title: '', model: 'm', workspace: '/' });
  const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
  const { lease } = await store.acquireLease('s', { runId: 'r', owner, ttlMs: 60_000, isAlive: () => true });
  const reasoning = { type: 'reasoning', text: 'I thought. '.repeat(20), state: 'done' } as const;
  const words = { type: 'text', text: ANSWER, state: 'done' } as const;
  await store.appendMessage(lease, { id: 'm1', role: 'assistant', ...base, parts: [reasoning, words] });
  const [made, result, closed] = EVENTS.map((event) => [event]);
  await store.putPart(lease, { messageId: 'm1', index: 2 }, call, made);
  await store.putPart(lease, { messageId: 'm1', index: 2 }, finished, result);
  await store.closeMessage(lease, 'm1', { status: 'done', tokenCount: 1 }, closed);
  return lease;
}

function payloadsIn(path: string): string[] {
  using database = new DatabaseSync(path);
  return database
    .prepare('SELECT payload FROM events ORDER BY number')
    .all()
    .map(({ payload }) => String(payload));
}

function change(path: string, statement: string): void {
  using database = new DatabaseSync(path);
  database.exec(statement);
}

const withoutEnvelopes = async (store: SqliteStore) =>
  (await store.readEvents('s')).map(
    ({ sessionId: _session, at: _at, number: _number, ...payload }) => payload,
  );

describe('a text that an event repeats', () => {
  it('is stored once, and read with the event', async () => {
    const path = join(folder, 'once.db');
    await using store = await openSqliteStore({ path });
    await work(store);
    assert.ok(
      payloadsIn(path).every((payload) => payload.length < 200),
      payloadsIn(path).join('\n'),
    );
    assert.deepEqual(await withoutEnvelopes(store), EVENTS);
  });

  it('is stored with the event if the two differ', async () => {
    await using store = await openSqliteStore({ path: join(folder, 'differs.db') });
    const lease = await work(store);
    const other: EventPayload = { ...response, content: `${ANSWER}!` };
    await store.closeMessage(lease, 'm1', { status: 'done', tokenCount: 1 }, [other]);
    assert.deepEqual((await withoutEnvelopes(store)).at(-1), other);
  });

  it('is replaced by a note if its part was lost', async () => {
    const path = join(folder, 'lost.db');
    await using store = await openSqliteStore({ path });
    await work(store);
    change(
      path,
      "DELETE FROM parts WHERE part_index = 2; UPDATE parts SET body = x'00' WHERE part_index = 1",
    );
    const [made, result, closed] = await withoutEnvelopes(store);
    const note = '[This text could not be read.]';
    assert.deepEqual(made, { ...EVENTS[0], args: note });
    const { title: _title, ...rest } = reported;
    assert.deepEqual(result, { ...rest, sanitized: [{ type: 'text', text: note }] });
    const { reasoning: _reasoning, ...short } = response;
    assert.deepEqual(closed, { ...short, content: note });
  });
});

describe('a long text', () => {
  it('is compressed, found by search, and its blobs stay named', async () => {
    const path = join(folder, 'packed.db');
    await using store = await openSqliteStore({ path });
    await work(store);
    using database = new DatabaseSync(path);
    const { kind, bytes } = database
      .prepare('SELECT typeof(body) AS kind, length(body) AS bytes FROM parts WHERE part_index = 2')
      .get() ?? { kind: '', bytes: 0 };
    assert.equal(kind, 'blob');
    assert.ok(Number(bytes) < OUTPUT.length / 2, `${bytes} bytes`);
    assert.deepEqual((await store.loadLog('s')).messages[0]?.parts[2], finished);
    assert.match((await store.search('value'))[0]?.snippet ?? '', /export const value/);
    assert.deepEqual([...namedBlobs(database).blobs.keys()], ['ab'.repeat(32)]);
  });

  it('is reported as damaged if its bytes are', async () => {
    const path = join(folder, 'damaged.db');
    await using store = await openSqliteStore({ path });
    await work(store);
    change(path, 'UPDATE parts SET body = substr(body, 1, length(body) - 9) WHERE part_index = 2');
    const { damaged, messages } = await store.loadLog('s');
    assert.deepEqual(
      damaged.map(({ table, id }) => `${table} ${id}`),
      ['parts m1/2'],
    );
    assert.equal(messages[0]?.parts.length, 3);
  });

  it('is read as an older version stored it', async () => {
    const path = join(folder, 'older.db');
    await using store = await openSqliteStore({ path });
    await work(store);
    change(path, `UPDATE parts SET body = '${JSON.stringify(finished)}' WHERE part_index = 2`);
    assert.deepEqual((await store.loadLog('s')).messages[0]?.parts[2], finished);
  });
});
