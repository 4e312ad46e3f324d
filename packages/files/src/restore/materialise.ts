import { realpathSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import type { Restored } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { FilesSettings } from '../files-settings.ts';
import type { FolderNode } from '../format/node.ts';
import type { TreeReader } from '../format/tree.ts';
import { FileRules } from '../walk/file-rules.ts';
import { isGone, OpenFolder, systemCode } from '../walk/open-folder.ts';
import { type RestoreOptions, restoreTree } from './restore-tree.ts';

export interface MaterialiseOptions {
  reader: TreeReader;
  tree: FolderNode;
  folder: string;
  settings: FilesSettings;
  key: Uint8Array;
  passed: RestoreOptions['passed'] | undefined;
}

/**
 * Writes a tree into a folder, which is made if it is missing.
 *
 * @throws {LonghaulError} `invalid_request` if the folder has files.
 */
export async function materialise(options: MaterialiseOptions): Promise<Restored> {
  const { reader, tree, folder, settings, key, passed = () => undefined } = options;
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST' && systemCode(error) !== 'ENOTDIR') throw error;
  });
  if (!(await isEmptyFolder(folder)))
    throw new LonghaulError(
      'invalid_request',
      `${folder} is not empty. Name a folder that does not exist or is empty.`,
    );
  using open = OpenFolder.openRoot(realpathSync(folder));
  const rules = new FileRules(settings, key);
  return await restoreTree({ folder: open, reader, from: undefined, to: tree, rules, passed });
}

async function isEmptyFolder(path: string): Promise<boolean> {
  try {
    // A new worktree of git has this and nothing else.
    return (await readdir(path)).every((name) => name === '.git');
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}
