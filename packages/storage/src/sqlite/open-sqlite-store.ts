import type { SqliteStore } from './sqlite-store.ts';
import type { SqliteStoreOptions } from './sqlite-store-options.ts';

/**
 * Opens a store in an SQLite file with the built-in SQLite of Node or Bun. Migrates its tables to this program's
 * version; an older database is copied first. Several processes may open one file at the same time, even if it does not
 * exist yet.
 *
 * @throws {LonghaulError} `store_newer`, `store_corrupt`, `store_readonly`, `store_full`, `store_unavailable`.
 * @example await using store = await openSqliteStore({ path: '/home/me/.local/share/longhaul/longhaul.db' });
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  // Loading Drizzle takes 60 ms, so it is loaded only when a store is opened.
  const { openDatabase } = await import('./open-database.ts');
  return openDatabase(options);
}
