import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lease, MessageDraft, Store } from '@longhaul/core';
import {
  findPostgres,
  holdClosedPort,
  isRequired,
  type PostgresServer,
  startPostgres,
} from '@longhaul/testing/machine';
import { getColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { connect } from './connection.ts';
import { openPostgresStore } from './index.ts';
import { MIGRATIONS } from './migrations.ts';
import { parsePostgresUrl } from './postgres-address.ts';
import { createPostgresStore } from './postgres-store.ts';
import * as tables from './schema.ts';
import { readServerClock } from './server-clock.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const OWNER = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
const TAKE = { owner: OWNER, ttlMs: 60_000, isAlive: () => true };
const TEXTS = { task: '', title: '', model: 'm', workspace: '/' };
const THINKING = { type: 'llm:thinking' } as const;

function message(id: string): MessageDraft {
  return { id, role: 'assistant', status: 'running', createdAt: 1, tokenCount: 1, parts: [] };
}

const text = (value: string) => ({ type: 'text', text: value, state: 'running' }) as const;

async function held(store: Store, id: string): Promise<Lease> {
  await store.createSession({ id, createdAt: 1, ...TEXTS });
  return (await store.acquireLease(id, { ...TAKE, runId: `run-${id}` })).lease;
}

describe.skipIf(isMissing)('a PostgreSQL server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  const schemaName = () => `s${randomUUID().replaceAll('-', '')}`;
  const urlOf = (schema: string) => `${server.url}?schema=${schema}`;
  const refusal = async (url: string, code: string): Promise<string> => {
    const error = await openPostgresStore({ url }).then(
      () => assert.fail('the store was opened'),
      (thrown: Error & { code?: string }) => thrown,
    );
    assert.equal(error.code, code, error.message);
    assert.ok(!`${error.stack}${error.cause}`.includes('secret'), error.stack);
    return error.message;
  };

  it('gets the tables that the schema describes, once, from programs that start at the same time', async () => {
    const schema = schemaName();
    const stores = await Promise.all(
      [1, 2, 3].map(() => openPostgresStore({ url: urlOf(schema), maxConnections: 1 })),
    );
    for (const table of Object.values(tables)) {
      if (!is(table, PgTable)) continue;
      const made = await server.query(
        `SELECT column_name || ' ' || is_nullable FROM information_schema.columns WHERE table_schema = '${schema}' AND table_name = '${getTableName(table)}' ORDER BY 1`,
      );
      const described = Object.values(getColumns(table)).map(
        ({ name, notNull }) => `${name} ${notNull ? 'NO' : 'YES'}`,
      );
      // Columns that only order rows are not described.
      const rows = made
        .split('\n')
        .filter((row) => !(/^(?:place|key) /.test(row) && !described.includes(row)));
      assert.deepEqual(rows, described.toSorted());
    }
    assert.equal(await server.query(`SELECT version FROM ${schema}.longhaul`), `${MIGRATIONS.length}`);
    for (const store of stores) await store[Symbol.asyncDispose]();
  });

  it('is refused with what to do', async () => {
    await server.query(`CREATE USER guarded PASSWORD 'right'`);
    const address = `127.0.0.1:${server.port}`;
    assert.match(
      await refusal(`postgres://guarded:secret@${address}/postgres`, 'config_invalid'),
      /refused the user or the password/,
    );
    assert.match(
      await refusal(`postgres://guarded:right@${address}/postgres?schema=none`, 'store_readonly'),
      /may not do this/,
    );
    assert.match(await refusal(`postgres://postgres:secret@${address}/absent`, 'config_invalid'), /createdb/);
    await server.query(`CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0`);
    assert.match(
      await refusal(`postgres://postgres:secret@${address}/latin`, 'config_invalid'),
      /encoding LATIN1/,
    );
    await server.query('CREATE DATABASE fixed');
    await server.query('ALTER DATABASE fixed SET default_transaction_read_only = on');
    assert.match(
      await refusal(`postgres://postgres:secret@${address}/fixed`, 'store_readonly'),
      /only allows reading/,
    );
    const schema = schemaName();
    await (await openPostgresStore({ url: urlOf(schema) }))[Symbol.asyncDispose]();
    await server.query(`UPDATE ${schema}.longhaul SET version = 99, oldest = 99`);
    assert.match(await refusal(urlOf(schema), 'store_newer'), /version 99/);
    await using closed = await holdClosedPort();
    assert.match(
      await refusal(`postgres://postgres:secret@127.0.0.1:${closed.port}/postgres`, 'store_unavailable'),
      /cannot be reached/,
    );
  });

  it('takes the appends of all sessions of a tick in one statement', async () => {
    const address = parsePostgresUrl(urlOf(schemaName()));
    await (await openPostgresStore({ url: urlOf(address.schema) }))[Symbol.asyncDispose]();
    const connection = connect(address);
    const statements: string[] = [];
    const query = connection.pool.query.bind(connection.pool);
    const counted = (config: { name?: string; text: string }, ...rest: []) => {
      // A wake-up of other stores may come at any time.
      if (!config.text.includes('pg_notify')) statements.push(config.name ?? config.text);
      return query(config, ...rest);
    };
    Object.assign(connection.pool, { query: counted });
    const clock = await readServerClock(connection, {});
    await using store = createPostgresStore(connection, { address: 'x', schema: address.schema, clock });
    const leases = await Promise.all(Array.from({ length: 40 }, (_, number) => held(store, `s${number}`)));
    await Promise.all(leases.map((lease) => store.appendMessage(lease, message(`m-${lease.sessionId}`))));
    statements.length = 0;
    await Promise.all(
      leases.flatMap((lease) => [
        store.putPart(lease, { messageId: `m-${lease.sessionId}`, index: 0 }, text('flushed'), [THINKING]),
        store.appendEvents(lease, [THINKING]),
      ]),
    );
    assert.deepEqual(statements, ['append']);
    for (const lease of leases)
      assert.deepEqual(
        (await store.readEvents(lease.sessionId)).map(({ number }) => number),
        [1, 2],
      );
  });

  it('stores a text that is flushed many times once, and what others wrote in between', async () => {
    const url = urlOf(schemaName());
    await using left = await openPostgresStore({ url });
    await using right = await openPostgresStore({ url });
    const lease = await held(left, 's1');
    await left.appendMessage(lease, message('m1'));
    let whole = '';
    for (let flush = 0; flush < 20; flush += 1) {
      whole += `flush ${flush}\0\ud83d`;
      await left.putPart(
        lease,
        { messageId: 'm1', index: 0 },
        text(whole),
        flush % 5 === 0 ? [THINKING] : [],
      );
      whole += '\ude00';
      if (flush % 5 === 2)
        await right.enqueue('s1', { id: `q${flush}`, content: [], queuedAt: 1 }, { maxPending: 9 });
    }
    await left.putPart(lease, { messageId: 'm1', index: 0 }, { ...text(whole), state: 'done' });
    const log = await right.loadLog('s1');
    assert.deepEqual(log.messages[0]?.parts, [{ type: 'text', text: whole, state: 'done' }]);
    assert.deepEqual(log.damaged, []);
    assert.deepEqual(
      (await right.readEvents('s1')).map(({ number }) => number),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
  });

  it('stores the appends of one tick independently, if the data of one is refused', async () => {
    await using store = await openPostgresStore({ url: urlOf(schemaName()) });
    const [one, two] = [await held(store, 's1'), await held(store, 's2')];
    await store.appendMessage(one, message('m1'));
    const outcomes = await Promise.allSettled([
      store.appendMessage(one, message('m2'), [THINKING]),
      store.appendMessage(two, message('m1'), [THINKING]),
      store.appendMessage(two, message('m3'), [THINKING]),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(
      (await store.loadLog('s2')).messages.map(({ id, sequence }) => [id, sequence]),
      [['m3', 1]],
    );
    assert.equal((await store.readEvents('s2')).length, 1);
  });

  it('wakes the watchers of other stores, also if a notification is lost', async () => {
    const url = urlOf(schemaName());
    await using left = await openPostgresStore({ url });
    await using right = await openPostgresStore({ url });
    const changed = () =>
      new Promise<void>((resolve) => {
        const watch = right.watch(() => {
          watch[Symbol.dispose]();
          resolve();
        });
      });
    const lease = await held(left, 's1');
    const first = changed();
    // The watcher may begin after the first change, but not after all of them.
    const stop = new AbortController();
    const writing = (async () => {
      while (!stop.signal.aborted) await left.appendEvents(lease, [THINKING]);
    })();
    await first;
    stop.abort();
    await writing;
  });

  it('never stores an append twice or loses one, while its connections are cut', async () => {
    const url = urlOf(schemaName());
    await using store = await openPostgresStore({ url, maxConnections: 4 });
    const leases = await Promise.all(['a', 'b', 'c'].map((id) => held(store, id)));
    const cut = () =>
      server.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'longhaul' AND pid <> pg_backend_pid()`,
      );
    const appended = await Promise.all(
      leases.map(async (lease, index) => {
        const numbers: number[] = [];
        for (let turn = 0; turn < 40; turn += 1) {
          const draft = message(`${lease.sessionId}-${turn}`);
          // One session's turns pace the cuts, so that each append has enough attempts.
          const [{ message: stored, events }] = await Promise.all([
            store.appendMessage(lease, draft, [THINKING]),
            index === 0 ? cut() : '',
          ]);
          numbers.push(stored.sequence, ...events.map((event) => event.number ?? 0));
        }
        return numbers;
      }),
    );
    const expected = Array.from({ length: 40 }, (_, index) => [index + 1, index + 1]).flat();
    for (const [index, lease] of leases.entries()) {
      assert.deepEqual(appended[index], expected);
      const log = await store.loadLog(lease.sessionId);
      assert.deepEqual(
        log.messages.map(({ id }) => id),
        Array.from({ length: 40 }, (_, turn) => `${lease.sessionId}-${turn}`),
      );
      assert.equal((await store.readEvents(lease.sessionId)).length, 40);
    }
  });
});

describe.skipIf(isMissing)('a PostgreSQL server of its own', () => {
  it('keeps what it confirmed when it is killed and started again', async () => {
    await using server = await startPostgres({ isDurable: true });
    await using store = await openPostgresStore({ url: server.url });
    const lease = await held(store, 's1');
    for (let turn = 0; turn < 5; turn += 1) await store.appendMessage(lease, message(`m${turn}`), [THINKING]);
    await server.kill();
    const appending = store.appendMessage(lease, message('m5'), [THINKING]);
    await server.start();
    assert.equal((await appending).message.sequence, 6);
    assert.equal((await store.readEvents('s1')).length, 6);
    assert.equal((await store.loadLog('s1')).messages.length, 6);
  });

  it('grants no epoch again after a replica was promoted', async () => {
    await using server = await startPostgres({ isDurable: true });
    await using store = await openPostgresStore({ url: server.url });
    const before = await held(store, 's1');
    assert.equal(before.epoch, 1);
    await server.kill();
    await writeFile(join(server.folder, 'standby.signal'), '');
    await server.start();
    await server.query('SELECT pg_promote()');
    const end = {
      status: 'interrupted',
      sessionStatus: 'active',
      onlyIfQueueEmpty: false,
      events: [],
    } as const;
    await store.finishRun(before, end);
    const { lease } = await store.acquireLease('s1', { ...TAKE, runId: 'run-2' });
    assert.equal(lease.epoch, 2 ** 32 + 1);
    assert.equal(
      (await store.acquireLease('s1', { ...TAKE, runId: 'run-3', isAlive: () => false })).lease.epoch,
      2 ** 32 + 2,
    );
  });
});
