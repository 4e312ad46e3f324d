import type { SqliteCache, SqliteCacheOptions } from './sqlite-cache.ts';

/**
 * Opens a cache in an SQLite file, which may be the store's, too: it has a table and a connection of its own. Several processes may use one
 * file at once. What was written last may be lost with the power, never more.
 *
 * @throws {LonghaulError} as `openSqliteStore`.
 * @example await using cache = await openSqliteCache({ path: '/home/me/.local/share/longhaul/longhaul.db' });
 */
export async function openSqliteCache(options: SqliteCacheOptions): Promise<SqliteCache> {
  const [{ openConnection }, { SqliteCache }] = await Promise.all([
    import('./open-database.ts'),
    import('./sqlite-cache.ts'),
  ]);
  const { connection, file } = await openConnection(options);
  // What is lost here is made again: no write waits for the disk.
  connection.exec('PRAGMA synchronous = NORMAL');
  return new SqliteCache(connection, file, options);
}
