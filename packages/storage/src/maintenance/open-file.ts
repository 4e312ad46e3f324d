import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

const WAIT_MS = 5000;

/**
 * Opens a database read-only. A copy without a write-ahead log is opened as immutable, so that no other files are
 * created.
 */
export function openToRead(path: string): DatabaseSync {
  const isCopy = /\.(?:backup|damaged-[^.]*)$/.test(path);
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!isCopy || hasLog) return new DatabaseSync(path, { readOnly: true, timeout: WAIT_MS });
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
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
