import { access, constants, mkdir, open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What holds sessions is for its owner alone: it holds what the agent read. */
const FOLDER_MODE = 0o700;
export const PRIVATE_FILE_MODE = 0o600;

/**
 * Makes a folder and those above it that are not there, for the owner alone; one that is there stays as it is.
 *
 * @throws What the file system says, with its `code`; `EROFS` also below /proc and /sys.
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  const { path, isKernels } = await nearestFolder(folder);
  if (isKernels) throw codedError('EROFS', `${path} belongs to the kernel: nothing can be made there.`);
  try {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  } catch (error) {
    // Node names the missing folder where the disk's refusal is the cause.
    if (codeOf(error) === 'ENOENT') await access(path, constants.W_OK);
    throw error;
  }
}

/** Makes an empty file that only its owner can read, where there is none. */
export async function makePrivateFile(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', PRIVATE_FILE_MODE)).close();
  } catch {
    // It is there, or cannot be: whoever opens it then says so.
  }
}

/** Source: `PROC_SUPER_MAGIC` and `SYSFS_MAGIC` of Linux's include/uapi/linux/magic.h. */
const KERNEL_FILE_SYSTEMS = new Set([0x9fa0, 0x62656572]);

export interface NearestFolder {
  path: string;
  /** Of /proc or /sys. There every name is missing however often it is made: Node's recursive mkdir would try for ever. */
  isKernels: boolean;
}

/** The folder itself, or the first above it that is there. */
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
