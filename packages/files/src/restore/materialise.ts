import { realpathSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Restored } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { FilesSettings } from '../files-settings.ts';
import type { FolderNode } from '../format/node.ts';
import type { TreeReader } from '../format/tree.ts';
import { FileRules } from '../walk/file-rules.ts';
import { isGone, OpenFolder, systemCode } from '../walk/open-folder.ts';
import { INCOMPLETE } from '../walk/temporary-names.ts';
import { type RestoreOptions, restoreTree } from './restore-tree.ts';

export interface MaterialiseOptions {
  reader: TreeReader;
  tree: FolderNode;
  folder: string;
  settings: FilesSettings;
  key: Uint8Array;
  passed: RestoreOptions['passed'] | undefined;
}

const INCOMPLETE_TEXT =
  'Longhaul did not finish writing the files of a session into this folder. Delete the folder, and repeat the command.\n';

/**
 * Writes a tree into a folder, which is made if it is missing. A file in the folder marks it as incomplete until the
 * end.
 *
 * @throws {LonghaulError} `invalid_request` if the folder has files.
 */
export async function materialise(options: MaterialiseOptions): Promise<Restored> {
  const { reader, tree, folder, settings, key, passed = () => undefined } = options;
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST' && systemCode(error) !== 'ENOTDIR') throw error;
  });
  await requireEmpty(folder);
  const mark = join(folder, INCOMPLETE);
  await writeFile(mark, INCOMPLETE_TEXT, { flag: 'wx' });
  using open = OpenFolder.openRoot(realpathSync(folder));
  const rules = new FileRules(settings, key);
  const restored = await restoreTree({ folder: open, reader, from: undefined, to: tree, rules, passed });
  await rm(mark);
  return restored;
}

/** @throws {LonghaulError} `invalid_request` */
async function requireEmpty(folder: string): Promise<void> {
  const names = await namesIn(folder);
  // A new worktree of git has this and nothing else.
  if (names?.every((name) => name === '.git') === true) return;
  throw new LonghaulError(
    'invalid_request',
    names?.includes(INCOMPLETE) === true
      ? `${folder} has an incomplete copy of a session's files. Delete it, or name another folder.`
      : `${folder} is ${names === undefined ? 'not a folder' : 'not empty'}. Name a folder that does not exist or is empty.`,
  );
}

/** Returns undefined if it is not a folder. */
async function namesIn(path: string): Promise<string[] | undefined> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
