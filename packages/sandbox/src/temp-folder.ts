import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCode } from './files/file-errors.ts';
import { isOwnerAlive, ownerName } from './process-identity.ts';

const PREFIX = 'longhaul-sandbox-';

/** Creates a private folder named after this process, so that others can remove it if this process dies. */
export function makeTempFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${ownerName()}-`));
}

/** Removes the folders of processes that died without removing them. */
export async function removeOrphanedTempFolders(): Promise<void> {
  const names = await readdir(tmpdir());
  const orphans = names.filter(
    (name) => name.startsWith(PREFIX) && !isOwnerAlive(name.slice(PREFIX.length).split('-')[0] ?? ''),
  );
  for (const name of orphans) {
    await removeFolder(join(tmpdir(), name)).catch((error: unknown) => {
      // Another user's folder: only that user may remove it.
      if (systemCode(error) !== 'EACCES' && systemCode(error) !== 'EPERM') throw error;
    });
  }
}

/** Removes a folder and its content, including folders that a program made read-only, such as Go's module cache. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (systemCode(error) !== 'EACCES') throw error;
    await makeWritable(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function makeWritable(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700);
  for (const name of await readdir(path)) await makeWritable(join(path, name));
}
