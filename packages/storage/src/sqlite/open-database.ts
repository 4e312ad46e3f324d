import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LonghaulError } from '@longhaul/protocol';
import { sql } from 'drizzle-orm';
import { machineUptime } from '../shared/machine-uptime.ts';
import { makePrivateFile, makePrivateFolder } from '../shared/private-folder.ts';
import { type Connection, connect } from './connection.ts';
import { DatabaseFile, type DatabaseFileOptions, LOG_BYTES } from './database-file.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { connectReadOnly } from './open-read-only.ts';
import { folderError, mapSqliteError, SQLITE, sqliteCode } from './sqlite-errors.ts';
import { createSqliteStore, type SqliteStore } from './sqlite-store.ts';
import type { SqliteStoreOptions } from './sqlite-store-options.ts';

const MEMORY = ':memory:';

/** What only tests set beside the public options. */
type DatabaseOptions = SqliteStoreOptions & Pick<DatabaseFileOptions, 'longWaitMs'>;

export async function openDatabase(options: DatabaseOptions): Promise<SqliteStore> {
  const { path, now = Date.now, uptime = machineUptime } = options;
  const { connection, file } = await openConnection(options).catch((error: unknown) =>
    openUnwritable(options, error),
  );
  return createSqliteStore(connection, { path, clock: { now, uptime }, file });
}

/** Opens a database that cannot be written, if the caller only reads. Throws `error` otherwise. */
async function openUnwritable(
  { path, access = 'write', now = Date.now, busyTimeoutMs = 5000 }: DatabaseOptions,
  error: unknown,
): Promise<{ connection: Connection; file: DatabaseFile }> {
  const isUnwritable = error instanceof LonghaulError && error.code === 'store_readonly';
  if (access === 'write' || !isUnwritable || !existsSync(path)) throw error;
  try {
    const connection = await connectReadOnly(path, (copy, copyPath) =>
      prepare(copy, { path: copyPath, now, busyTimeoutMs }),
    );
    connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    return { connection, file: new DatabaseFile(connection, { path, busyTimeoutMs }) };
  } catch (thrown) {
    throw mapSqliteError(thrown, path);
  }
}

/** Opens a connection to a database and migrates it to this program's version. */
export async function openConnection(
  options: DatabaseOptions,
): Promise<{ connection: Connection; file: DatabaseFile }> {
  await makeFolder(options.path);
  await makeDatabase(options);
  try {
    return await openInMode('NORMAL', options);
  } catch (error) {
    // Even reading in WAL mode needs a 32 kB shared-memory file, unless one program has exclusive access to the
    // database.
    if (error instanceof LonghaulError && error.code === 'store_full')
      return openInMode('EXCLUSIVE', options);
    throw error;
  }
}

async function openInMode(
  lockingMode: 'NORMAL' | 'EXCLUSIVE',
  { path, now = Date.now, busyTimeoutMs = 5000, longWaitMs }: DatabaseOptions,
): Promise<{ connection: Connection; file: DatabaseFile }> {
  let connection: Connection | undefined;
  try {
    connection = await connect(path);
    connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA locking_mode = ${lockingMode}`);
    await prepare(connection, { path, now, busyTimeoutMs });
    return { connection, file: new DatabaseFile(connection, { path, busyTimeoutMs, longWaitMs }) };
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
}

/**
 * Makes a missing database under another name first, so that a file is never at its path before it is whole. So an
 * empty file there has lost its content.
 */
async function makeDatabase(options: DatabaseOptions): Promise<void> {
  const { path, now = Date.now, busyTimeoutMs = 5000 } = options;
  if (path === MEMORY) return;
  const info = await stat(path).catch(() => undefined);
  if (info?.size === 0) throw emptyFile(path);
  // SQLite gives its additional files the same permissions as the database.
  if (info !== undefined) return makePrivateFile(path);
  const made = `${path}.${randomUUID()}.new`;
  try {
    await makePrivateFile(made);
    const connection = await connect(made);
    try {
      await prepare(connection, { path: made, now, busyTimeoutMs });
    } finally {
      connection.close();
    }
    // Another process may have been faster. Its database stays.
    await link(made, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } catch (error) {
    throw mapSqliteError(error, path);
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(made + suffix, { force: true });
  }
}

function emptyFile(path: string): LonghaulError {
  return new LonghaulError(
    'store_corrupt',
    `The database ${path} is empty (0 bytes): the sessions that it had are lost. Restore it from a backup. To start with a new one, delete the file.`,
    { data: { path } },
  );
}

/**
 * Applies the pragmas, then migrates. When several processes change a new file to WAL at once, SQLite does not honor
 * the busy timeout, so this retries on `SQLITE_BUSY` until the timeout.
 */
async function prepare(
  connection: Connection,
  { path, now, busyTimeoutMs }: Required<Omit<SqliteStoreOptions, 'uptime' | 'access'>>,
): Promise<void> {
  const deadline = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      makeGivingBack(connection);
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

/**
 * Enables incremental vacuum, so that free pages can later be released while sessions run. Only a new file accepts this
 * setting.
 */
function makeGivingBack(connection: Connection): void {
  const { pages = 0 } =
    connection.db.get<{ pages: number }>(sql`SELECT page_count AS pages FROM pragma_page_count`) ?? {};
  // On an existing database the pragma would write, but opening a database for reading must also work on a full disk.
  if (pages === 0) connection.exec('PRAGMA auto_vacuum = INCREMENTAL');
}
