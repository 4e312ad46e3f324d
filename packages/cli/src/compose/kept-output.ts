import type { Config } from '@longhaul/config';
import type { KeptOutputLimit } from '@longhaul/core';
import { blobFolder, databasePath, isPostgres } from './storage-place.ts';

const MIB = 1024 * 1024;

/** The limit of what a session keeps of cut outputs. Outputs in memory are never deleted: they end with the process. */
export function keptOutputLimit({ url, keptOutput }: Config['storage']): KeptOutputLimit {
  const maxBytes = keptOutput.maxMb * MIB;
  if (!keptOutput.deleteOldest || url.startsWith('memory:')) return { maxBytes };
  // Programs on other machines may store the same blob now, so `longhaul gc` deletes it later.
  if (isPostgres(url)) return { maxBytes, deleteBlob: async () => {} };
  const path = databasePath(url);
  return {
    maxBytes,
    async deleteBlob(id, options) {
      const [{ deleteBlob }, { isSoleDatabase }] = await Promise.all([
        import('@longhaul/storage/blobs'),
        import('@longhaul/storage/maintenance'),
      ]);
      // Another database in the folder, or a copy of this one, may name the blob too. Then `longhaul gc` decides.
      if (await isSoleDatabase(path)) await deleteBlob(blobFolder(path), id, options);
    },
  };
}
