export { createMemoryCache } from './memory-cache.ts';
export { createMemoryServerMemory } from './memory-server-memory.ts';
export { createMemoryStorage } from './memory-storage.ts';
export { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts';
