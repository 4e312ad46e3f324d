import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Connection, connect } from './connection.ts';
import { databaseProblem } from './database-problem.ts';
import { MIGRATIONS } from './migrations.ts';

/**
 * Opens a database that cannot be written: on a read-only disk, or in a folder of another user. Tries in this order:
 * the file itself; the file as unchangeable, if it has no log, because without a log SQLite needs no file beside it;
 * and a copy in the system's folder for temporary files. Every write on the connection fails with `SQLITE_READONLY`.
 *
 * @param prepare Migrates a copy. It is not called for the file itself.
 */
export async function connectReadOnly(
  path: string,
  prepare: (copy: Connection, copyPath: string) => Promise<void>,
): Promise<Connection> {
  const direct = await attempt(path, { readOnly: true });
  if (direct !== undefined) return direct;
  if (!hasLog(path)) {
    const unchangeable = await attempt(path, { readOnly: true, immutable: true });
    if (unchangeable !== undefined) return unchangeable;
  }
  return connectCopy(path, prepare);
}

/** Whether the write-ahead log contains something. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Copies the database and its log to a temporary folder, which is deleted when `open` returns: open files stay. */
export function withCopy(path: string, open: (copy: string) => DatabaseSync): DatabaseSync {
  const { copy, folder } = makeCopy(path);
  try {
    return open(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeCopy(path: string): { copy: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-read-'));
  const copy = join(folder, 'copy.db');
  copyFileSync(path, copy);
  if (hasLog(path)) copyFileSync(`${path}-wal`, `${copy}-wal`);
  return { copy, folder };
}

/** Returns undefined if the database cannot be read in this way, or must be migrated first. */
async function attempt(
  path: string,
  options: { readOnly: true; immutable?: true },
): Promise<Connection | undefined> {
  let connection: Connection | undefined;
  try {
    connection = await connect(path, options);
    if (versionOf(connection, path) === MIGRATIONS.length) return connection;
  } catch {
    // The next way is tried. The last one reports its error.
  }
  connection?.close();
  return undefined;
}

async function connectCopy(
  path: string,
  prepare: (copy: Connection, copyPath: string) => Promise<void>,
): Promise<Connection> {
  const { copy, folder } = makeCopy(path);
  let connection: Connection | undefined;
  try {
    connection = await connect(copy);
    await prepare(connection, copy);
    connection.exec('PRAGMA query_only = ON');
    return connection;
  } catch (error) {
    connection?.close();
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function versionOf(connection: Connection, path: string): number {
  const facts = factsOf(connection);
  return databaseProblem({ ...facts, path }) === undefined ? facts.version : 0;
}

function factsOf(connection: Connection) {
  const first = (sql: string) => Number(Object.values([...connection.rows(sql)][0] ?? {})[0] ?? 0);
  return {
    version: first('PRAGMA user_version'),
    applicationId: first('PRAGMA application_id'),
    hasTables: first('SELECT count(*) FROM sqlite_master') > 0,
  };
}
