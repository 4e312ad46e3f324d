import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from './file-errors.ts';
import { type RootFolder, replaced } from './root-folder.ts';

/** Thrown if a name is a link although it was resolved before: another process is swapping links. */
export class PathChanged extends Error {}

/**
 * An open folder of the workspace.
 *
 * On Linux, `path(name)` addresses an entry through the open descriptor (`/proc/self/fd/N/name`, the equivalent of
 * openat), so no process can replace a folder on the way by a link. On other systems the real path is checked instead,
 * which leaves a gap of some microseconds.
 */
export interface Folder extends AsyncDisposable {
  path(name?: string): string;
  readonly handle: FileHandle;
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const HAS_PROC = process.platform === 'linux';

/** Opens the folder at `names` below the root, one name at a time. `create` makes missing folders. */
export async function openFolder(
  root: RootFolder,
  names: readonly string[],
  options: { create?: boolean } = {},
): Promise<Folder> {
  let folder = await openRoot(root);
  for (const name of names) {
    try {
      const next = await openChild(folder, name, options.create ?? false);
      await folder[Symbol.asyncDispose]();
      folder = next;
    } catch (error) {
      await folder[Symbol.asyncDispose]();
      throw error;
    }
  }
  return folder;
}

async function openRoot(root: RootFolder): Promise<Folder> {
  const handle = await open(root.path, FOLDER_FLAGS).catch((error: unknown) => {
    // Nothing, a file or a link is there now.
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK'].includes(systemCode(error) ?? '')) throw replaced(root.path);
    throw error;
  });
  try {
    await root.requireSame(handle);
    return toFolder(handle, root.path);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openChild(parent: Folder, name: string, create: boolean): Promise<Folder> {
  const path = parent.path(name);
  try {
    return await openReal(path);
  } catch (error) {
    if (!create || systemCode(error) !== 'ENOENT') throw error;
  }
  await mkdir(path).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  return openReal(path);
}

async function openReal(path: string): Promise<Folder> {
  const handle = await openUnfollowed(path, FOLDER_FLAGS);
  if (HAS_PROC) return toFolder(handle, path);
  if ((await realpath(path)) === path) return toFolder(handle, path);
  await handle.close();
  throw new PathChanged(path);
}

/**
 * Opens a path without following a link in its last name.
 *
 * @throws {PathChanged} if the last name is a link.
 */
export async function openUnfollowed(path: string, flags: number, mode?: number): Promise<FileHandle> {
  try {
    return await open(path, flags | constants.O_NOFOLLOW, mode);
  } catch (error) {
    const code = systemCode(error);
    // For a link, opening a file fails with ELOOP, and opening a folder on Linux with ENOTDIR, as for a file.
    if (code === 'ELOOP' || code === 'EMLINK' || (code === 'ENOTDIR' && (await isLink(path)))) {
      throw new PathChanged(path);
    }
    throw error;
  }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (info) => info.isSymbolicLink(),
    () => false,
  );
}

function toFolder(handle: FileHandle, realPath: string): Folder {
  const base = HAS_PROC ? `/proc/self/fd/${handle.fd}` : realPath;
  return {
    handle,
    path: (name) => (name === undefined ? base : join(base, name)),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
