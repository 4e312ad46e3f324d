export { createFileBlobStore } from './file-blob-store.ts';
export { createMemoryBlobStore } from './memory-blob-store.ts';
