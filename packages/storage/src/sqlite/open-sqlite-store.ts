import type { SqliteStore } from './sqlite-store.ts';
import type { SqliteStoreOptions } from './sqlite-store-options.ts';

/**
 * Opens a store in an SQLite file, on Node's built-in SQLite or on Bun's, and brings its tables to this program's version (an older
 * database is copied first). Several processes may open one file, also at the same time and for the first time.
 *
 * @throws {LonghaulError} `store_newer`, `store_corrupt`, `store_readonly`, `store_full`, `store_unavailable`.
 * @example await using store = await openSqliteStore({ path: '/home/me/.local/share/longhaul/longhaul.db' });
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  // Drizzle takes 60 ms to load, so a program that opens no store does not load it.
  const { openDatabase } = await import('./open-database.ts');
  return openDatabase(options);
}
