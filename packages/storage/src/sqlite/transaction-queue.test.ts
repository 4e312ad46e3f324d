import assert from 'node:assert/strict';
import { sql } from 'drizzle-orm';
import { describe, it } from 'vitest';
import { type Connection, connect } from './connection.ts';
import { TransactionQueue } from './transaction-queue.ts';

describe('TransactionQueue', () => {
  it('commits the writes of one tick together and each awaited write separately', async () => {
    const { queue, insert, statements } = await open();
    await Promise.all([1, 2, 3].map((value) => queue.write(() => insert(value))));
    assert.deepEqual(statements.splice(0), ['BEGIN IMMEDIATE', 'COMMIT']);
    await queue.write(() => insert(4));
    await queue.write(() => insert(5));
    assert.deepEqual(statements, ['BEGIN IMMEDIATE', 'COMMIT', 'BEGIN IMMEDIATE', 'COMMIT']);
  });

  it('commits once for all callbacks of an event-loop iteration', async () => {
    const { queue, insert, values, statements } = await open();
    const written: Promise<void>[] = [];
    // Microtasks of each callback run before the next callback, as with I/O callbacks.
    const callbacks = Array.from({ length: 20 }, (_, value) => async () => {
      await Promise.resolve();
      written.push(queue.write(() => insert(value)));
    });
    for (const callback of callbacks) setImmediate(() => void callback());
    await new Promise<void>((resolve) => setImmediate(resolve));
    await Promise.all(written);
    assert.equal(values().length, 20);
    assert.deepEqual(statements, ['BEGIN IMMEDIATE', 'COMMIT']);
  });

  it('reads after earlier writes, even if they fail, without an extra commit', async () => {
    const { queue, insert, values, statements } = await open();
    const failed = queue.write(() => {
      throw new Error('fails');
    });
    const [read] = await Promise.all([
      queue.read(() => values()),
      queue.write(() => insert(1)),
      assert.rejects(failed, /fails/),
    ]);
    assert.deepEqual(read, [1]);
    assert.equal(statements.filter((statement) => statement === 'COMMIT').length, 1);
    assert.deepEqual(await queue.read(() => values()), [1]);
  });

  it('groups the next writes of concurrent loops in one commit', async () => {
    const { queue, insert, statements } = await open();
    const loop = async () => {
      for (let i = 0; i < 4; i++) await queue.write(() => insert(i));
    };
    await Promise.all([loop(), loop(), loop()]);
    assert.equal(statements.filter((statement) => statement === 'COMMIT').length, 4);
  });

  it('undoes everything that a failing write did, but no other writes', async () => {
    const { queue, insert, values, forgotten } = await open();
    const outcomes = await Promise.allSettled([
      queue.write(() => insert(1)),
      queue.write(() => {
        insert(2);
        throw new Error('after its insert');
      }),
      queue.write(() => insert(3)),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(values(), [1, 3]);
    assert.ok(forgotten() >= 2);
    await assert.rejects(
      queue.write(() => {
        insert(4);
        throw new Error('alone');
      }),
      /alone/,
    );
    assert.deepEqual(values(), [1, 3]);
  });

  it('fails all writes of a failed commit, and works afterwards', async () => {
    const { queue, insert, values, connection } = await open();
    connection.exec(
      'PRAGMA foreign_keys = ON; CREATE TABLE child (id REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)',
    );
    const orphan = () => connection.db.run(sql`INSERT INTO child VALUES (99)`);
    const outcomes = await Promise.allSettled([queue.write(() => insert(1)), queue.write(orphan)]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(values(), []);
    await queue.write(() => insert(2));
    assert.deepEqual(values(), [2]);
  });
});

async function open() {
  const real = await connect(':memory:');
  real.exec('CREATE TABLE t (id INTEGER PRIMARY KEY)');
  const statements: string[] = [];
  const connection: Connection = {
    db: real.db,
    get inTransaction() {
      return real.inTransaction;
    },
    dataVersion: () => real.dataVersion(),
    rows: (sql, ...values) => real.rows(sql, ...values),
    exec: (statement) => {
      statements.push(statement);
      real.exec(statement);
    },
    close: () => real.close(),
  };
  let forgotten = 0;
  const queue = new TransactionQueue(connection, {
    mapError: (thrown) => thrown,
    forget: () => {
      forgotten += 1;
    },
  });
  let next = 0;
  return {
    queue,
    connection,
    statements,
    forgotten: () => forgotten,
    // Loops repeat ids, so an existing value gets a higher id.
    insert: (value: number) => {
      next += 1;
      connection.db.run(sql`INSERT INTO t VALUES (${value}) ON CONFLICT DO UPDATE SET id = ${1000 + next}`);
    },
    values: () => connection.db.all<{ id: number }>(sql`SELECT id FROM t ORDER BY id`).map(({ id }) => id),
  };
}
