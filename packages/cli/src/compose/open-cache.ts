import { join } from 'node:path';
import type { CacheStore } from '@longhaul/models';
import { databasePath, isPostgres, postgresPlace } from './storage-place.ts';

/**
 * Opens a cache: a table of the SQLite database that `storage.url` names, on a connection of its own, or a file of this
 * machine. Throws as `openStorage`.
 */
export async function openCache(url: string): Promise<CacheStore & AsyncDisposable> {
  if (url.startsWith('memory:')) {
    const { createMemoryCache } = await import('@longhaul/storage/memory');
    return Object.assign(createMemoryCache(), { [Symbol.asyncDispose]: async () => {} });
  }
  const { openSqliteCache } = await import('@longhaul/storage/sqlite');
  // A cache belongs to one machine.
  return openSqliteCache({
    path: isPostgres(url) ? join(postgresPlace().folder, 'cache.db') : databasePath(url),
  });
}
