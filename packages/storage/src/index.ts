export { createFileBlobStore, createMemoryBlobStore } from './blobs/index.ts';
export {
  createMemoryCache,
  createMemoryServerMemory,
  createMemoryStore,
  type MemoryStoreOptions,
} from './memory/index.ts';
export {
  openSqliteCache,
  openSqliteStore,
  type SqliteCache,
  type SqliteCacheOptions,
  type SqliteStore,
  type SqliteStoreOptions,
} from './sqlite/index.ts';
