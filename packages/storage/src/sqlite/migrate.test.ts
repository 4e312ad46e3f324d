import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LonghaulError } from '@longhaul/protocol';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { lacks } from '@longhaul/testing/machine';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { runProgram, smallDisk } from '../../test/support.ts';
import { connect } from './connection.ts';
import { openSqliteStore } from './index.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import * as schema from './schema.ts';

const PROGRAM = fileURLToPath(new URL('../../test/migrate-process.ts', import.meta.url));
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const FIRST = 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)';
const SECOND = "ALTER TABLE notes ADD COLUMN title TEXT DEFAULT 'none'";

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-migrate-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('migrations', () => {
  it('create the tables that the schema describes', () => {
    const database = new DatabaseSync(':memory:');
    for (const migration of MIGRATIONS) database.exec(migration);
    for (const table of Object.values(schema)) {
      assert.ok(is(table, SQLiteTable));
      const name = getTableName(table);
      const made = database
        .prepare(`SELECT name, "notnull" OR pk AS required FROM pragma_table_info('${name}')`)
        .all();
      const described = Object.values(getTableColumns(table))
        .filter((column) => column.name !== 'rowid')
        .map((column) => ({ name: column.name, required: Number(column.notNull) }));
      const comparable = (rows: object[]) => rows.map((row) => ({ ...row })).toSorted(byName);
      if (name === 'part_search')
        assert.deepEqual(
          made.map((row) => row['name']),
          described.map((row) => row.name),
        );
      else assert.deepEqual(comparable(made), comparable(described), name);
    }
  });

  it('copy an existing database before changing it', async () => {
    const path = join(folder, 'old.db');
    await migrated(path, [FIRST]);
    const old = new DatabaseSync(path);
    old.exec("INSERT INTO notes (text) VALUES ('kept')");
    old.close();
    await migrated(path, [FIRST, SECOND]);
    const backup = 'old.db.v1.2026-01-02T03-04-05-000Z.backup';
    assert.ok((await readdir(folder)).includes(backup));
    assert.deepEqual(rows(path), [{ id: 1, text: 'kept', title: 'none' }]);
    assert.deepEqual(rows(join(folder, backup)), [{ id: 1, text: 'kept' }]);
  });

  it('copy data that is only in the write-ahead log', async () => {
    const path = join(folder, 'log.db');
    await migrated(path, [FIRST]);
    const writer = new DatabaseSync(path);
    writer.exec(
      "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; INSERT INTO notes (text) VALUES ('in the log')",
    );
    await migrated(path, [FIRST, SECOND]);
    writer.close();
    assert.deepEqual(rows(join(folder, 'log.db.v1.2026-01-02T03-04-05-000Z.backup')), [
      { id: 1, text: 'in the log' },
    ]);
  });

  it('leave the old database and a complete copy when killed, and are finished by the next process', async () => {
    const path = join(folder, 'killed.db');
    await version1(path);
    const args = [...FROM_SOURCE, PROGRAM, path, 'hang'];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    await until(async () => (await copiesOf('killed.db')).length > 0);
    child.kill('SIGKILL');
    await once(child, 'close');
    assert.deepEqual(rows(path), [{ id: 1, text: 'kept' }]);
    const [copy = ''] = await copiesOf('killed.db');
    assert.deepEqual(rows(join(folder, copy)), [{ id: 1, text: 'kept' }]);
    await migrated(path, [FIRST, SECOND]);
    assert.deepEqual(rows(path), [{ id: 1, text: 'kept', title: 'none' }]);
  });

  it('run once, with one copy, when two processes migrate at the same time', async () => {
    const path = join(folder, 'two.db');
    await version1(path);
    const args = [...FROM_SOURCE, PROGRAM, path];
    const results = await Promise.all([1, 2].map(() => runProgram(process.execPath, args)));
    assert.deepEqual(
      results.map(({ output }) => output),
      ['done\n', 'done\n'],
    );
    assert.equal(rows(path).length, 300_001);
    assert.equal((await copiesOf('two.db')).length, 1);
  });

  it('leave the old database usable when the disk has no space for the copy', async ({ skip }) => {
    await using disk = await smallDisk(1);
    if (disk === undefined) return lacks('mount', 'a file system cannot be mounted here', skip);
    const path = join(disk.path, 'full.db');
    await version1(path, 300_000);
    await writeFile(join(disk.path, 'filler'), new Uint8Array(500_000));
    await assert.rejects(migrated(path, [FIRST, SECOND]));
    assert.deepEqual(
      (await readdir(disk.path)).filter((name) => /backup|partial/.test(name)),
      [],
    );
    assert.equal(rows(path).length, 1);
    await rm(join(disk.path, 'filler'));
    await migrated(path, [FIRST, SECOND]);
    assert.equal(rows(path).length, 1);
  });

  it('leave a database unchanged when one of them fails', async () => {
    const path = join(folder, 'failing.db');
    await migrated(path, [FIRST]);
    await assert.rejects(migrated(path, [FIRST, SECOND, 'CREATE NONSENSE']));
    await migrated(path, [FIRST]);
    assert.deepEqual(rows(path), []);
  });

  it('make no copy of a new or up-to-date database', async () => {
    const path = join(folder, 'new', 'store.db');
    await (await openSqliteStore({ path }))[Symbol.asyncDispose]();
    await (await openSqliteStore({ path }))[Symbol.asyncDispose]();
    assert.deepEqual(await readdir(join(folder, 'new')), ['store.db']);
  });

  it('refuse a newer database and report both versions', async () => {
    const path = join(folder, 'newer.db');
    await (await openSqliteStore({ path }))[Symbol.asyncDispose]();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    await assert.rejects(openSqliteStore({ path }), (error) => {
      assert.ok(error instanceof LonghaulError);
      assert.equal(error.code, 'store_newer');
      assert.match(error.message, /99/);
      assert.deepEqual(error.data, { path, storeVersion: 99, programVersion: MIGRATIONS.length });
      return true;
    });
  });

  it("refuse another program's database and do not change it", async () => {
    const path = join(folder, 'foreign.db');
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE theirs (a)');
    database.close();
    await assert.rejects(openSqliteStore({ path }), { code: 'store_corrupt' });
    const after = new DatabaseSync(path);
    assert.deepEqual(
      after
        .prepare('SELECT name FROM sqlite_master')
        .all()
        .map((row) => row['name']),
      ['theirs'],
    );
    after.close();
  });
});

async function version1(path: string, chars = 0): Promise<void> {
  await migrated(path, [FIRST]);
  const database = new DatabaseSync(path);
  database.prepare('INSERT INTO notes (text) VALUES (?)').run(`kept${'x'.repeat(chars)}`);
  database.exec('PRAGMA journal_mode = WAL');
  database.close();
}

async function copiesOf(name: string): Promise<string[]> {
  return (await readdir(folder)).filter((file) => file.startsWith(`${name}.v`) && file.endsWith('.backup'));
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}

async function migrated(path: string, migrations: string[]): Promise<void> {
  const connection = await connect(path);
  try {
    await migrate(connection, { path, migrations, now: () => NOW });
  } finally {
    connection.close();
  }
}

function rows(path: string): object[] {
  const database = new DatabaseSync(path);
  try {
    return database
      .prepare('SELECT * FROM notes')
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

function byName(left: object, right: object): number {
  return JSON.stringify(left).localeCompare(JSON.stringify(right));
}
