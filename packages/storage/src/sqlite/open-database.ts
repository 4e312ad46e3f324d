import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineUptime } from '../shared/clock.ts';
import { makePrivateFile, makePrivateFolder } from '../shared/private-folder.ts';
import { type Connection, connect } from './connection.ts';
import { DatabaseFile, LOG_BYTES } from './database-file.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { folderError, mapSqliteError, SQLITE, sqliteCode } from './sqlite-errors.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { SqliteStoreOptions } from './sqlite-store-options.ts';

const MEMORY = ':memory:';

export async function openDatabase(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { path, now = Date.now, uptime = machineUptime } = options;
  const { connection, file } = await openConnection(options);
  return new SqliteStore(connection, { path, clock: { now, uptime }, file });
}

/** A connection to a database whose tables are this program's. */
export async function openConnection({
  path,
  now = Date.now,
  busyTimeoutMs = 5000,
}: SqliteStoreOptions): Promise<{ connection: Connection; file: DatabaseFile }> {
  await makeFolder(path);
  let connection: Connection | undefined;
  try {
    connection = await connect(path);
    await prepare(connection, { path, now, busyTimeoutMs });
    return { connection, file: new DatabaseFile(connection, { path, busyTimeoutMs }) };
  } catch (error) {
    connection?.close();
    throw mapSqliteError(error, path);
  }
}

async function makeFolder(path: string): Promise<void> {
  if (path === MEMORY) return;
  try {
    await makePrivateFolder(dirname(path));
  } catch (error) {
    throw folderError(path, error);
  }
  // The files that SQLite puts beside it have the rights of the database.
  await makePrivateFile(path);
}

/**
 * Settings, then tables. Changing a new file to WAL does not honour the busy timeout when several processes do so at once, so a
 * lock met here is waited for by trying again.
 */
async function prepare(
  connection: Connection,
  { path, now, busyTimeoutMs }: Required<Omit<SqliteStoreOptions, 'uptime'>>,
): Promise<void> {
  connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  const deadline = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      // Only a new file takes it: what is dropped later can then be given back to the disk piece by piece, beside running sessions.
      connection.exec('PRAGMA auto_vacuum = INCREMENTAL');
      connection.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = ${LOG_BYTES}`,
      );
      await migrate(connection, { path, migrations: MIGRATIONS, now });
      return;
    } catch (error) {
      if (sqliteCode(error) !== SQLITE.BUSY || performance.now() >= deadline) throw error;
      await sleep(5 + Math.random() * 20);
    }
  }
}
