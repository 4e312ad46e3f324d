import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkTree, createFileTrees } from '@longhaul/files';
import { createFileBlobStore } from '@longhaul/storage/blobs';
import { FILES_OPTIONS } from '../agent/settings.ts';
import { type RevertLine, readLines } from '../records/lines.ts';
import { type SessionPaths, UNRECORDED_FILES } from '../records/paths.ts';
import { readFiles, type StoredFiles } from '../records/read-files.ts';
import { type Defect, defect } from './defect.ts';

/**
 * Checks the files of a finished session: every recorded tree can be read, no revert was left half done, and the
 * workspace is what was recorded last.
 */
export async function checkFiles(paths: SessionPaths, sessionId: string): Promise<Defect[]> {
  const stored = readFiles(paths.database, sessionId);
  const reverts = checkReverts(stored, readLines<RevertLine>(paths.reverts));
  if (stored.tree === undefined) return [...reverts, defect('corruption', 'no files were recorded')];
  const broken = await checkTrees(stored, paths.blobs);
  if (broken.length > 0) return [...reverts, ...broken];
  rmSync(paths.restored, { recursive: true, force: true });
  const blobs = createFileBlobStore(paths.blobs);
  const trees = createFileTrees({ ...FILES_OPTIONS, blobs, cacheFolder: paths.fileCache });
  await trees.materialise(stored.tree, paths.restored);
  return [...reverts, ...checkWorkspace(paths.workspace, paths.restored)];
}

/**
 * Checks that each revert that was found unfinished was finished, with the files that it was to restore. Files that are
 * partly restored make another tree.
 *
 * @param found Reverts that were unfinished after their command was killed.
 */
export function checkReverts({ reverts, pending }: StoredFiles, found: readonly RevertLine[]): Defect[] {
  const unfinished =
    pending === undefined ? [] : [defect('corruption', `the revert to m${pending.to} is not finished`)];
  return [
    ...unfinished,
    ...found.flatMap((revert) => {
      const marks = reverts.filter(
        ({ to, treeBefore, undoes }) =>
          to === revert.to && treeBefore === revert.treeBefore && undoes === revert.undoes,
      );
      if (marks.some(({ treeAfter }) => treeAfter === revert.treeAfter)) return [];
      const how = marks.length === 0 ? 'was lost' : `was finished with the files of ${marks[0]?.treeAfter}`;
      return [defect('corruption', `a killed revert to the files of ${revert.treeAfter} ${how}`)];
    }),
  ];
}

/** Compares the files of two folders: their kinds, modes and contents. Files that are not recorded do not count. */
export function checkWorkspace(workspace: string, recorded: string): Defect[] {
  const here = filesIn(workspace);
  const there = filesIn(recorded);
  for (const name of UNRECORDED_FILES) here.delete(name);
  return [...new Set([...here.keys(), ...there.keys()])].flatMap((path) => {
    if (here.get(path) === there.get(path)) return [];
    const how = !here.has(path) ? 'is missing' : !there.has(path) ? 'is not recorded' : 'is not as recorded';
    return [defect('corruption', `${path} of the workspace ${how}`)];
  });
}

/** Checks that every recorded tree can be read. `blobs`: the folder of its contents. */
export async function checkTrees({ patches, reverts }: StoredFiles, blobs: string): Promise<Defect[]> {
  const names = new Set([
    ...patches.flatMap(({ part }) => [part.before, part.after]),
    ...reverts.flatMap(({ treeBefore, treeAfter }) => [treeBefore, treeAfter]),
  ]);
  const store = createFileBlobStore(blobs);
  const defects: Defect[] = [];
  for (const name of names) {
    if (name === undefined) continue;
    const { problems } = await checkTree(store, name);
    for (const { path, reason } of problems)
      defects.push(defect('corruption', `${name} cannot be restored: "${path}": ${reason}`));
  }
  return defects;
}

/** Describes the files below a folder, by their paths. */
function filesIn(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const full = join(folder, path);
    const info = lstatSync(full);
    if (info.isSymbolicLink()) files.set(path, `link ${readlinkSync(full)}`);
    else if (info.isFile())
      files.set(path, `${(info.mode & 0o100) === 0 ? 'file' : 'program'} ${readFileSync(full, 'base64')}`);
  }
  return files;
}
