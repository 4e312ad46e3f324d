import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createFileTrees } from '@longhaul/files';
import { createFileBlobStore } from '@longhaul/storage/blobs';
import { FILES_OPTIONS } from '../agent/settings.ts';
import type { SessionPaths } from '../records/paths.ts';
import type { StoredFiles } from '../records/read-files.ts';
import { checkWorkspace } from './check-files.ts';
import { type Defect, defect } from './defect.ts';

/** Is in a folder whose files are not all written. */
const INCOMPLETE = '.longhaul-incomplete';

/**
 * Checks the folder that a fork with files made, perhaps until it was killed: it has all files of a tree, or it can be
 * seen that it has not.
 *
 * @param copy.trees Trees of which the folder may have the files.
 */
export async function checkCopy(
  paths: Pick<SessionPaths, 'blobs' | 'fileCache' | 'restored'>,
  { folder, trees, isDone }: { folder: string; trees: readonly string[]; isDone: boolean },
): Promise<Defect[]> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.length === 0 || names.includes(INCOMPLETE))
    return isDone ? [defect('corruption', `${folder} has not all files of the fork`)] : [];
  const blobs = createFileBlobStore(paths.blobs);
  const files = createFileTrees({ ...FILES_OPTIONS, blobs, cacheFolder: paths.fileCache });
  let differences: Defect[] = [defect('corruption', `${folder} has files, but no tree is recorded`)];
  for (const tree of trees) {
    rmSync(paths.restored, { recursive: true, force: true });
    await files.materialise(tree, paths.restored);
    differences = checkWorkspace(folder, paths.restored);
    if (differences.length === 0) return [];
  }
  return differences;
}

/** Returns the trees that may be those after a message: others can change files after the message has ended. */
export function treesAfter(sequence: number, { patches, reverts }: StoredFiles): string[] {
  const earlier = patches.filter((patch) => patch.sequence <= sequence);
  const newest = earlier.at(-1)?.sequence ?? 0;
  const revert = reverts.findLast(({ at, treeAfter }) => treeAfter !== undefined && at < sequence);
  if (revert?.treeAfter !== undefined && revert.at >= newest) return [revert.treeAfter];
  return earlier.filter((patch) => patch.sequence === newest).map(({ part }) => part.after);
}
