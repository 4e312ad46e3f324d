import { createFileBlobStore } from '@longhaul/storage/blobs';
import type { TreePacks } from '@longhaul/storage/maintenance';

/** Reads the recorded trees in a blob folder, for maintenance. Loads their reader at the first use. */
export function treePacks(blobFolder: string): TreePacks {
  const blobs = createFileBlobStore(blobFolder);
  const files = () => import('@longhaul/files');
  return {
    packsOf: async (references) => (await files()).packsOf(blobs, references),
    checkTree: async (reference) => (await files()).checkTree(blobs, reference),
    isPack: async (id) => (await files()).isPack(blobs, id),
  };
}
