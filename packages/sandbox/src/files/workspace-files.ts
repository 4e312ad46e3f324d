import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, readdir, rename, unlink } from 'node:fs/promises';
import type { DirectoryEntry, FileInfo, WorkspaceFiles } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { fileError, outsideWorkspace, systemCode } from './file-errors.ts';
import { type Folder, openFolder, openUnfollowed, PathChanged } from './folder.ts';
import { resolveInside } from './resolve-inside.ts';
import type { RootFolder } from './root-folder.ts';

/** How often a path is resolved before it fails, if another process keeps swapping links. */
const MAX_ATTEMPTS = 5;
/** Entries of a folder that are read in parallel. */
const STAT_BATCH = 64;
// A FIFO would make a plain open wait for a writer.
const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

type Action = 'read' | 'write';

/**
 * Gives access to a workspace's files on this machine, for all drivers.
 *
 * @param root The workspace's folder on this machine. Every access fails once another folder has its path.
 * @param workspacePath The same folder as commands see it. Paths and links below either are accepted.
 * @param remarkFor Returns what commands can do with a path outside the workspace, for the refusal. Empty: nothing is
 * known.
 */
export function createWorkspaceFiles(
  root: RootFolder,
  workspacePath: string,
  remarkFor: (path: string) => string = () => '',
): WorkspaceFiles {
  return createFiles(root.path, async (path) => {
    try {
      const names = await resolveInside(root.path, workspacePath, path);
      return { root, names, name: names.join('/') };
    } catch (error) {
      const isOutside = error instanceof LonghaulError && error.code === 'path_outside_workspace';
      throw isOutside ? outsideWorkspace(path, remarkFor(path)) : error;
    }
  });
}

/** Where a path leads, with links resolved. */
export interface Place {
  root: RootFolder;
  /** Names below the root. */
  names: string[];
  /** What `resolve` returns. */
  name: string;
}

/** Gives access to the files that `locate` finds. It refuses all others. */
export function createFiles(rootPath: string, locate: (path: string) => Promise<Place>): WorkspaceFiles {
  /** Runs `work` on a path with links resolved, and again if a link changes in the meantime. */
  const at = async <T>(path: string, action: Action, work: (place: Place) => Promise<T>): Promise<T> => {
    try {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        try {
          return await work(await locate(path));
        } catch (error) {
          if (!(error instanceof PathChanged)) throw error;
        }
      }
    } catch (error) {
      throw fileError(error, path, action);
    }
    throw outsideWorkspace(path);
  };

  return {
    root: rootPath,
    resolve: (path) => at(path, 'read', async ({ name }) => name),
    stat: (path) => at(path, 'read', ({ root, names }) => statNames(root, names)),
    read: (path, range) => at(path, 'read', ({ root, names }) => readNames(root, names, { path, range })),
    write: (path, data) => at(path, 'write', ({ root, names }) => writeNames(root, names, { path, data })),
    list: (path) => at(path, 'read', ({ root, names }) => listNames(root, names)),
  };
}

async function statNames(root: RootFolder, names: string[]): Promise<FileInfo | undefined> {
  const name = names.at(-1);
  try {
    await using folder = await openFolder(root, names.slice(0, -1));
    const info = name === undefined ? await folder.handle.stat() : await lstatUnchanged(folder, name);
    return { kind: kindOf(info), size: info.size, modifiedAt: info.mtimeMs };
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

interface ReadRequest {
  path: string;
  range: { start: number; length: number } | undefined;
}

async function readNames(
  root: RootFolder,
  names: string[],
  { path, range }: ReadRequest,
): Promise<Uint8Array> {
  const name = fileName(names, path);
  await using folder = await openFolder(root, names.slice(0, -1));
  // Also checked before it is opened: opening a device can have an effect.
  requireFile(await lstatUnchanged(folder, name), path);
  const handle = await openUnfollowed(folder.path(name), READ_FLAGS);
  try {
    requireFile(await handle.stat(), path);
    return range === undefined ? await handle.readFile() : await readRange(handle, range);
  } finally {
    await handle.close();
  }
}

async function readRange(handle: FileHandle, range: { start: number; length: number }): Promise<Uint8Array> {
  const { size } = await handle.stat();
  const buffer = Buffer.alloc(Math.max(0, Math.min(range.length, size - range.start)));
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, range.start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

interface WriteRequest {
  path: string;
  data: Uint8Array | string;
}

async function writeNames(
  root: RootFolder,
  names: string[],
  request: WriteRequest,
): Promise<{ created: boolean }> {
  const name = fileName(names, request.path);
  await using folder = await openFolder(root, names.slice(0, -1), { create: true });
  const before = await lstatUnchanged(folder, name).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (before !== undefined) requireFile(before, request.path);
  if (before !== undefined && before.nlink > 1) {
    await writeInPlace(folder.path(name), request.data);
    return { created: false };
  }
  const temporary = folder.path(`.longhaul-${randomUUID()}.tmp`);
  try {
    await writeTemporary(temporary, request.data, before);
    // A rename replaces a link and does not follow it.
    await rename(temporary, folder.path(name));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  return { created: before === undefined };
}

/**
 * Overwrites a file that has several names, so that all of them keep the same content. If it fails, such as on a full
 * disk, the old content is put back.
 */
async function writeInPlace(path: string, data: Uint8Array | string): Promise<void> {
  const handle = await openUnfollowed(path, constants.O_RDWR);
  try {
    const old = await handle.readFile();
    const bytes = Buffer.from(data);
    try {
      await writeWhole(handle, bytes);
    } catch (error) {
      await writeWhole(handle, old);
      throw error;
    }
    const { mode } = await handle.stat();
    await handle.chmod(mode & 0o777);
  } finally {
    await handle.close();
  }
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, written);
    written += bytesWritten;
  }
  await handle.truncate(bytes.length);
}

async function writeTemporary(
  path: string,
  data: Uint8Array | string,
  before: Stats | undefined,
): Promise<void> {
  const handle = await openUnfollowed(path, CREATE_FLAGS, 0o666);
  try {
    await handle.writeFile(data);
    if (before === undefined) return;
    const made = await handle.stat();
    if (made.uid !== before.uid || made.gid !== before.gid) await keepOwner(handle, before);
    // Without set-user-id and set-group-id: other users could run the new content with the owner's rights.
    await handle.chmod(before.mode & 0o777);
  } finally {
    await handle.close();
  }
}

async function keepOwner(handle: FileHandle, before: Stats): Promise<void> {
  await handle.chown(before.uid, before.gid).catch((error: unknown) => {
    // Only root may change a file's owner. For other users, the rewritten file is their own.
    if (systemCode(error) !== 'EPERM') throw error;
  });
}

async function listNames(root: RootFolder, names: string[]): Promise<DirectoryEntry[]> {
  await using folder = await openFolder(root, names);
  const found = await readdir(folder.path());
  const entries: DirectoryEntry[] = [];
  for (let start = 0; start < found.length; start += STAT_BATCH) {
    const batch = found.slice(start, start + STAT_BATCH).map((name) => entryOf(folder, name));
    for (const entry of await Promise.all(batch)) if (entry !== undefined) entries.push(entry);
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function entryOf(folder: Folder, name: string): Promise<DirectoryEntry | undefined> {
  try {
    const info = await lstat(folder.path(name));
    if (info.isSymbolicLink()) return { name, kind: 'link' };
    const kind = kindOf(info);
    return kind === 'file' ? { name, kind, size: info.size } : { name, kind };
  } catch (error) {
    // Removed after the folder was read.
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function lstatUnchanged(folder: Folder, name: string): Promise<Stats> {
  const info = await lstat(folder.path(name));
  if (info.isSymbolicLink()) throw new PathChanged(name);
  return info;
}

function fileName(names: readonly string[], path: string): string {
  const name = names.at(-1);
  if (name === undefined) throw notAFile(path, 'a folder');
  return name;
}

function requireFile(info: Stats, path: string): void {
  if (info.isDirectory()) throw notAFile(path, 'a folder');
  if (!info.isFile()) throw notAFile(path, 'a device, pipe or socket');
}

function notAFile(path: string, what: string): LonghaulError {
  return new LonghaulError('invalid_request', `${JSON.stringify(path)} is ${what}, but a file is needed.`);
}

function kindOf(info: Stats): FileInfo['kind'] {
  if (info.isFile()) return 'file';
  return info.isDirectory() ? 'directory' : 'other';
}
