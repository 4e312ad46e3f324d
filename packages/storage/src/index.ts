export { createFileBlobStore, createMemoryBlobStore } from './blobs/index.ts';
export { createMemoryStore, createMemoryWindowMemory, type MemoryStoreOptions } from './memory/index.ts';
export { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from './sqlite/index.ts';
