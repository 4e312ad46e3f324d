import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, PRIVATE_FILE_MODE } from '../shared/private-folder.ts';
import { mapFileError } from './blob-errors.ts';
import { blobFiles, blobPath, entriesOf } from './blob-files.ts';
import {
  type BlobSpace,
  type BlobSpaceOptions,
  type BlobUser,
  DATABASES,
  isBlobUserId,
} from './blob-space.ts';
import { createFileBlobStore } from './file-blob-store.ts';
import { sweepLeftovers } from './sweep-blobs.ts';

/** Stores blobs in a folder, as `createFileBlobStore`. Machines can share it, for example with NFS. */
export function createFolderBlobSpace(folder: string, options: BlobSpaceOptions = {}): BlobSpace {
  const databases = join(folder, DATABASES);
  return {
    ...createFileBlobStore(folder, options),
    place: folder,
    async *list() {
      for await (const { id, size } of blobFiles(folder)) yield { id, size };
    },
    remove: (id) => mapped(() => rm(blobPath(folder, id), { force: true })),
    async removeLeftovers({ dryRun }) {
      const found = { count: 0, bytes: 0 };
      const isNamed = () => false;
      await mapped(() => sweepLeftovers(folder, { isNamed, now: Date.now, dryRun }, found));
      return found;
    },
    databases: () =>
      mapped(async () => {
        const users: BlobUser[] = [];
        for (const { name } of await entriesOf(databases)) {
          if (!isBlobUserId(name)) continue;
          users.push({ id: name, address: (await readFile(join(databases, name), 'utf8')).trim() });
        }
        return users;
      }),
    addDatabase: ({ id, address }) =>
      mapped(async () => {
        await makePrivateFolder(databases);
        await writeFile(join(databases, id), `${address}\n`, { mode: PRIVATE_FILE_MODE });
      }),
  };

  async function mapped<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw mapFileError(error, { path: folder });
    }
  }
}
