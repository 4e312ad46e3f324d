import { access, constants, mkdir, open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Only the owner may access session data, because it contains everything the agent read. */
const FOLDER_MODE = 0o700;
export const PRIVATE_FILE_MODE = 0o600;

/**
 * Creates a folder and its missing parents with access for the owner only. Existing folders are not changed.
 *
 * @throws The file system's error with its `code`; `EROFS` below /proc and /sys.
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  const { path, isKernels } = await nearestFolder(folder);
  if (isKernels) throw codedError('EROFS', `${path} belongs to the kernel: no folder can be created there.`);
  try {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  } catch (error) {
    // Node may report the missing folder when the real cause is that its parent is not writable.
    if (codeOf(error) === 'ENOENT') await access(path, constants.W_OK);
    throw error;
  }
}

/** Creates an empty file that only its owner can access, unless the file exists. Errors are ignored. */
export async function makePrivateFile(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', PRIVATE_FILE_MODE)).close();
  } catch {
    // The file exists or cannot be created. In the second case, opening it reports the error.
  }
}

/** Source: `PROC_SUPER_MAGIC` and `SYSFS_MAGIC` of Linux's include/uapi/linux/magic.h. */
const KERNEL_FILE_SYSTEMS = new Set([0x9fa0, 0x62656572]);

export interface NearestFolder {
  path: string;
  /**
   * The folder is in /proc or /sys. There mkdir keeps failing with ENOENT, so Node's recursive mkdir would never
   * return.
   */
  isKernels: boolean;
}

/** Returns the folder itself, or its nearest existing parent. */
export async function nearestFolder(folder: string): Promise<NearestFolder> {
  for (let path = folder; ; path = dirname(path)) {
    try {
      const { type } = await statfs(path);
      return { path, isKernels: process.platform === 'linux' && KERNEL_FILE_SYSTEMS.has(type) };
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || dirname(path) === path) return { path, isKernels: false };
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}

function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
