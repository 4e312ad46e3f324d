import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file at once by one that only its owner can read. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${randomUUID()}`;
  try {
    await writeFile(next, text, { mode: 0o600, flag: 'wx' });
    // The mask of the process may have removed more.
    await chmod(next, 0o600);
    await rename(next, path);
  } finally {
    await rm(next, { force: true });
  }
}
