import { mkdirSync } from 'node:fs';
import type { FolderNode } from '../format/node.ts';
import { isGone, isUnreadable, type OpenFolder } from '../walk/open-folder.ts';

/** A folder of the original that is recorded, and the same folder of the copy. */
export interface FolderPair {
  source: OpenFolder;
  target: OpenFolder;
  tree: FolderNode;
}

/** Undefined: it is no longer a folder, or cannot be read. */
export function openIfThere(folder: OpenFolder, name: string): OpenFolder | undefined {
  try {
    return folder.openChild(name);
  } catch (error) {
    if (isGone(error) || isUnreadable(error)) return undefined;
    throw error;
  }
}

export function makeFolder(target: OpenFolder, name: string): OpenFolder {
  mkdirSync(target.path(name), { mode: 0o755 });
  return target.openChild(name);
}
