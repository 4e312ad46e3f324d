import type { SqliteCache, SqliteCacheOptions } from './sqlite-cache.ts';

/**
 * Opens a cache in an SQLite file. It has its own table and connection, so the file may also be the store's. Several
 * processes may use one file at once. A power cut may lose the latest writes, but not older entries.
 *
 * @throws {LonghaulError} `store_newer`, `store_corrupt`, `store_readonly`, `store_full`, `store_unavailable`.
 * @example await using cache = await openSqliteCache({ path: '/home/me/.local/share/longhaul/longhaul.db' });
 */
export async function openSqliteCache(options: SqliteCacheOptions): Promise<SqliteCache> {
  const [{ openConnection }, { SqliteCache }] = await Promise.all([
    import('./open-database.ts'),
    import('./sqlite-cache.ts'),
  ]);
  const { connection, file } = await openConnection(options);
  // Lost entries can be recomputed, so writes do not wait for the disk.
  connection.exec('PRAGMA synchronous = NORMAL');
  return new SqliteCache(connection, file, options);
}
