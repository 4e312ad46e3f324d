import { DatabaseSync } from 'node:sqlite';
import { immutableUrl } from '../sqlite/connection.ts';
import { hasLog, withCopy } from '../sqlite/open-read-only.ts';
import { SQLITE, sqliteCode } from '../sqlite/sqlite-errors.ts';

const WAIT_MS = 5000;

/**
 * Opens a database read-only. A copy without a write-ahead log is opened as immutable, so that no other files are
 * created. So is a database in a folder that cannot be written, or a temporary copy of it if it has a log.
 */
export function openToRead(path: string): DatabaseSync {
  const isCopy = /\.(?:backup|damaged-[^.]*)$/.test(path);
  if (isCopy && !hasLog(path)) return new DatabaseSync(immutableUrl(path), { readOnly: true });
  const database = new DatabaseSync(path, { readOnly: true, timeout: WAIT_MS });
  try {
    firstValue(database, 'SELECT count(*) FROM sqlite_master');
    return database;
  } catch (error) {
    const code = sqliteCode(error);
    if (code !== SQLITE.CANTOPEN && code !== SQLITE.READONLY) return database;
    database.close();
    return hasLog(path) ? openCopy(path) : new DatabaseSync(immutableUrl(path), { readOnly: true });
  }
}

function openCopy(path: string): DatabaseSync {
  return withCopy(path, (copy) => {
    const database = new DatabaseSync(copy);
    // Opens the log before its name is deleted.
    firstValue(database, 'SELECT count(*) FROM sqlite_master');
    database.exec('PRAGMA query_only = ON');
    return database;
  });
}

/** Opens a database for writing. Its tables must have this program's version. */
export function openToWrite(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: WAIT_MS });
  database.exec('PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL');
  return database;
}

/** Returns the first value of the first row. */
export function firstValue(database: DatabaseSync, sql: string): unknown {
  return Object.values(database.prepare(sql).get() ?? {})[0];
}

export function numberOf(database: DatabaseSync, sql: string): number {
  return Number(firstValue(database, sql) ?? 0);
}

/** Whether the table has the column: a database of an older version has fewer. */
export function hasColumn(database: DatabaseSync, table: string, column: string): boolean {
  return (
    database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined
  );
}
