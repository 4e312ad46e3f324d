export { createMemoryCache } from './memory-cache.ts';
export { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts';
export { createMemoryWindowMemory } from './memory-window-memory.ts';
