import { mkdtemp, readdir, realpath } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInside } from '@longhaul/core/host-paths';
import { removeFolder } from '@longhaul/core/remove-folder';
import { LonghaulError } from '@longhaul/protocol';
import { systemCode } from './files/file-errors.ts';
import { isOwnerAlive, ownerName } from './process-identity.ts';

const PREFIX = 'longhaul-sandbox-';

/**
 * Creates a private folder named after this process, so that others can remove it if this process dies.
 *
 * @param workspace A folder in which commands can write. They could replace a folder below it by a link, so the new one
 * is elsewhere, even if the system's folder for temporary files is there.
 * @throws {LonghaulError} `sandbox_unavailable` if every place for temporary files is in the workspace.
 */
export async function makeTempFolder(workspace: string): Promise<string> {
  for (const place of tempPlaces()) {
    const real = await realpath(place).catch(() => undefined);
    if (real === undefined || isInside(real, workspace)) continue;
    try {
      return await mkdtemp(join(real, `${PREFIX}${ownerName()}-`));
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    }
  }
  throw new LonghaulError(
    'sandbox_unavailable',
    `The sandbox needs a folder for temporary files outside of the workspace ${workspace}. Set TMPDIR to one that you can write to.`,
  );
}

function tempPlaces(): string[] {
  const { XDG_RUNTIME_DIR } = process.env;
  return [...new Set([tmpdir(), XDG_RUNTIME_DIR ?? '/tmp', '/tmp', '/var/tmp', homedir()])];
}

/** Removes the folders of processes that died without removing them. */
export async function removeOrphanedTempFolders(): Promise<void> {
  for (const place of tempPlaces()) await removeOrphansIn(place);
}

async function removeOrphansIn(place: string): Promise<void> {
  const names = await readdir(place).catch(() => []);
  const orphans = names.filter(
    (name) => name.startsWith(PREFIX) && !isOwnerAlive(name.slice(PREFIX.length).split('-')[0] ?? ''),
  );
  for (const name of orphans) {
    await removeFolder(join(place, name)).catch((error: unknown) => {
      // For example another user's folder. Leftovers of a dead process must not prevent work; the next run tries again.
      if (systemCode(error) === undefined) throw error;
    });
  }
}
