import type { Config } from '@longhaul/config';
import type { KeptOutputLimit } from '@longhaul/core';
import { blobFolder, databasePath } from './open-storage.ts';

const MIB = 1024 * 1024;

/** The limit of what a session keeps of cut outputs. Outputs in memory are never deleted: they end with the process. */
export function keptOutputLimit({ url, keptOutput }: Config['storage']): KeptOutputLimit {
  const maxBytes = keptOutput.maxMb * MIB;
  if (!keptOutput.deleteOldest || url.startsWith('memory:')) return { maxBytes };
  return {
    maxBytes,
    deleteBlob: async (id, options) => {
      const { deleteBlob } = await import('@longhaul/storage/blobs');
      return deleteBlob(blobFolder(databasePath(url)), id, options);
    },
  };
}
