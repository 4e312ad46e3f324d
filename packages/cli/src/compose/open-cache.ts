import type { CacheStore } from '@longhaul/models';
import { databasePath } from './open-storage.ts';

/**
 * Opens a cache: a table of the database that `storage.url` names, on a connection of its own. Throws as `openStorage`.
 */
export async function openCache(url: string): Promise<CacheStore & AsyncDisposable> {
  if (url.startsWith('memory:')) {
    const { createMemoryCache } = await import('@longhaul/storage/memory');
    return Object.assign(createMemoryCache(), { [Symbol.asyncDispose]: async () => {} });
  }
  const { openSqliteCache } = await import('@longhaul/storage/sqlite');
  return openSqliteCache({ path: databasePath(url) });
}
