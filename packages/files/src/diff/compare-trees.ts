import { joinPath } from '../format/names.ts';
import { type FolderNode, isSameNode, type LeafNode, NO_HASH, type TreeNode } from '../format/node.ts';
import type { TreeReader } from '../format/tree.ts';

/** A file, link or other entry that is not a folder and differs between two trees. Its path is a byte string. */
export interface LeafChange {
  path: string;
  before: LeafNode | undefined;
  after: LeafNode | undefined;
}

/** Returns what differs between two trees, in the order of paths. Reads only folders that differ. */
export async function compareTrees(
  reader: TreeReader,
  before: FolderNode | undefined,
  after: FolderNode | undefined,
): Promise<LeafChange[]> {
  const found: LeafChange[] = [];
  await compareFolders(reader, { path: '', before, after, found });
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

interface Comparison {
  path: string;
  before: FolderNode | undefined;
  after: FolderNode | undefined;
  found: LeafChange[];
}

async function compareFolders(reader: TreeReader, { path, before, after, found }: Comparison): Promise<void> {
  if (before?.hash === after?.hash) return;
  const old = before === undefined ? NONE : await reader.children(before);
  const now = after === undefined ? NONE : await reader.children(after);
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [a, b] = [old.get(name), now.get(name)];
    if (a === b) continue;
    const below = joinPath(path, name);
    if (a?.kind === 'unreadable' || b?.kind === 'unreadable') {
      // What was or is in a folder that cannot be read is not known, so nothing in it counts as added or deleted.
      if (!isSameNode(a, b))
        found.push({ path: below, before: asLeaf(a) ?? unknown(a), after: asLeaf(b) ?? unknown(b) });
      continue;
    }
    const [folderA, folderB] = [asFolder(a), asFolder(b)];
    if (folderA !== undefined || folderB !== undefined)
      await compareFolders(reader, { path: below, before: folderA, after: folderB, found });
    const [leafA, leafB] = [asLeaf(a), asLeaf(b)];
    if (!isSameNode(leafA, leafB)) found.push({ path: below, before: leafA, after: leafB });
  }
}

const NONE: ReadonlyMap<string, TreeNode> = new Map();

/** Stands for a folder. */
function unknown(folder: TreeNode | undefined): LeafNode | undefined {
  return folder && { kind: 'unreadable', mode: folder.mode, size: 0, hash: NO_HASH, pieces: [] };
}

function asFolder(node: TreeNode | undefined): FolderNode | undefined {
  return node?.kind === 'folder' ? node : undefined;
}

function asLeaf(node: TreeNode | undefined): LeafNode | undefined {
  return node === undefined || node.kind === 'folder' ? undefined : node;
}
