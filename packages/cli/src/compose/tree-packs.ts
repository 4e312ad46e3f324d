import type { BlobStore } from '@longhaul/core';
import { createFileBlobStore } from '@longhaul/storage/blobs';
import type { TreePacks } from '@longhaul/storage/maintenance';

/** Reads the recorded trees in a blob folder, for maintenance. */
export function treePacks(blobFolder: string): TreePacks {
  return packsIn(createFileBlobStore(blobFolder));
}

/** The same for any blobs. Loads the reader of trees at the first use. */
export function packsIn(blobs: BlobStore): TreePacks {
  const files = () => import('@longhaul/files');
  return {
    packsOf: async (references) => (await files()).packsOf(blobs, references),
    checkTree: async (reference) => (await files()).checkTree(blobs, reference),
    isPack: async (id) => (await files()).isPack(blobs, id),
  };
}
