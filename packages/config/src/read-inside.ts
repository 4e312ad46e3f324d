import { realpath, stat } from 'node:fs/promises';
import { isInside } from '@longhaul/core/host-paths';
import { readRegularFile } from './read-regular-file.ts';

export interface ReadInside {
  /** Absolute, without symbolic links. */
  path: string;
  bytes: Uint8Array;
}

/**
 * Reads a file of a folder.
 *
 * @param root The folder, without symbolic links.
 * @param maxBytes A larger file is refused.
 * @returns A problem if the file is outside of the folder, also by a link.
 * @throws Errors of the file system, and those of `readRegularFile`.
 */
export async function readInside(
  path: string,
  root: string,
  maxBytes: number,
): Promise<ReadInside | { problem: string }> {
  const real = await realpath(path);
  if (!isInside(real, root)) return { problem: 'is outside of the project' };
  const { bytes, inode } = await readRegularFile(real, maxBytes);
  // A link could have replaced the file, or a folder above it, since its path was resolved.
  if ((await realpath(real)) !== real || (await stat(real, { bigint: true })).ino !== inode)
    return { problem: 'changed while it was read' };
  return { path: real, bytes };
}
