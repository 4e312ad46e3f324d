export { createMemoryCache } from './memory-cache.ts';
export { createMemoryServerMemory } from './memory-server-memory.ts';
export { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts';
