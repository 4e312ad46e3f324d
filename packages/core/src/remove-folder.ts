import { randomUUID } from 'node:crypto';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes a folder and its content, including folders that a program made read-only, such as Go's module cache, and
 * folders that are nested deeper than a path can be long.
 */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EACCES' && code !== 'ENAMETOOLONG') throw error;
    await flatten(path);
    await rm(path, { recursive: true, force: true });
  }
}

/** Characters of a path below the removed folder. Linux accepts 4,095 in all, macOS 1,023. */
const MAX_DEPTH_CHARS = 500;

/** Makes every folder writable, and moves the deep ones up into `root`. */
async function flatten(root: string): Promise<void> {
  const open = [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const path = join(folder, entry.name);
      if (path.length - root.length <= MAX_DEPTH_CHARS) {
        open.push(path);
        continue;
      }
      // The folder itself must be writable to be moved: its entry `..` changes.
      await chmod(path, 0o700);
      const target = join(root, randomUUID());
      await rename(path, target);
      open.push(target);
    }
  }
}
