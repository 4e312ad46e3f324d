import type { BlobStore, Store } from '@longhaul/core';
import { createMemoryBlobStore } from '../blobs/memory-blob-store.ts';
import { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts';

/** Creates both stores of a runtime in memory. They are lost when the process ends. */
export function createMemoryStorage(options: MemoryStoreOptions = {}): { store: Store; blobs: BlobStore } {
  return { store: createMemoryStore(options), blobs: createMemoryBlobStore() };
}
