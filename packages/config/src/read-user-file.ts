import { readRegularFile, unreadable } from './read-regular-file.ts';
import type { ReadProjectFile } from './trust/project-files.ts';

/** Reads a file of the user, which needs no trust. Links are followed: the user has made them. */
export async function readUserFile(path: string, maxBytes: number): Promise<ReadProjectFile> {
  try {
    const { bytes } = await readRegularFile(path, maxBytes);
    return { path, bytes, sha256: '' };
  } catch (error) {
    return { problem: unreadable(error, maxBytes) };
  }
}
