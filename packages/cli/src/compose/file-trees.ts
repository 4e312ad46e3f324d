import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { join, relative } from 'node:path';
import { type Config, userFolder } from '@longhaul/config';
import type { FileTrees } from '@longhaul/core';
import { isInside, realPathOf } from '@longhaul/core/host-paths';
import { homeOf } from './load-settings.ts';
import type { Storage } from './open-storage.ts';

/** Bytes of the key with which the contents of secret files are hashed. */
const KEY_BYTES = 32;

export interface FileTreesOptions {
  storage: Storage;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns what records the files of workspaces beside a database, or undefined for sessions in memory. Nothing is
 * loaded before the first use: most commands and many runs record no file.
 */
export function fileTrees(
  { files }: Pick<Config, 'files'>,
  { storage: { folder, blobFolder, blobs, copies }, env }: FileTreesOptions,
): FileTrees | undefined {
  if (folder === undefined) return undefined;
  let opened: Promise<FileTrees> | undefined;
  const open = async (ignore: readonly string[]): Promise<FileTrees> => {
    const { createFileTrees } = await import('@longhaul/files');
    const key = await secretKey(join(folder, 'files.key'));
    const settings = { ...files, ignore: [...files.ignore, ...ignore] };
    return createFileTrees({
      blobs,
      cacheFolder: join(folder, 'workspaces'),
      copiesFolder: copies,
      key,
      settings,
    });
  };
  const trees = () => (opened ??= open([]));
  return {
    copies: {
      make: async (...args) => (await trees()).copies.make(...args),
      restore: async (...args) => (await trees()).copies.restore(...args),
      find: async (...args) => (await trees()).copies.find(...args),
      remove: async (...args) => (await trees()).copies.remove(...args),
      sweep: async (...args) => (await trees()).copies.sweep(...args),
    },
    async openRecorder(workspace, tree) {
      const own = ownFolders(workspace, [
        folder,
        blobFolder,
        userFolder({ env, home: homeOf({ env }) }),
        getCompileCacheDir(),
      ]);
      return (await (own.length === 0 ? trees() : open(own))).openRecorder(workspace, tree);
    },
    changes: async (...args) => (await trees()).changes(...args),
    async *diff(...args) {
      yield* (await trees()).diff(...args);
    },
    packsOf: async (...args) => (await trees()).packsOf(...args),
    list: async (...args) => (await trees()).list(...args),
    read: async (...args) => (await trees()).read(...args),
    merge: async (...args) => (await trees()).merge(...args),
    materialise: async (...args) => (await trees()).materialise(...args),
  };
}

/**
 * Returns patterns for the folders of this program in a workspace, such as a home folder. Recording its own database
 * would change the database each time.
 */
function ownFolders(workspace: string, folders: readonly (string | undefined)[]): string[] {
  const root = realPathOf(workspace);
  return folders.flatMap((folder) => {
    const path = folder === undefined ? undefined : realPathOf(folder);
    if (path === undefined || path === root || !isInside(path, root)) return [];
    return [`/${relative(root, path).replace(/[\\*?[\]!#]/g, '\\$&')}/`];
  });
}

/** Reads the key, or creates it. If two processes create it at the same time, both use the first one. */
async function secretKey(path: string): Promise<Uint8Array> {
  const known = await readFile(path).catch(() => undefined);
  if (known?.length === KEY_BYTES) return known;
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(temporary, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' });
  try {
    // A damaged key cannot be used. Hashes that it made then compare as changed.
    if (known !== undefined) await rm(path, { force: true });
    await link(temporary, path).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
    return await readFile(path);
  } finally {
    await rm(temporary, { force: true });
  }
}
