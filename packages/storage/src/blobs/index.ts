export type { BlobSpace, BlobSpaceOptions, BlobUser, StoredBlob } from './blob-space.ts';
export { type BlobCheck, checkBlobs } from './check-blobs.ts';
export { deleteBlob } from './delete-blob.ts';
export { createFileBlobStore } from './file-blob-store.ts';
export { createFolderBlobSpace } from './folder-blob-space.ts';
export { createMemoryBlobStore } from './memory-blob-store.ts';
export { type SweepOptions, type Swept, sweepBlobs } from './sweep-blobs.ts';
