import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';

/** There is no such folder, or it is not for this user. */
const UNREADABLE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP']);

/** Returns what is in a folder. A folder that is missing, or that this user cannot read, has nothing. */
export async function folderEntries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && UNREADABLE.has(String(error.code))) return [];
    throw error;
  }
}
