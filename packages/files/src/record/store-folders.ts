import { encodeFolder } from '../format/folder-object.ts';
import type { FolderNode } from '../format/node.ts';
import type { PackQueue } from './pack-queue.ts';

/**
 * Stores a tree: the folders that have no place, each after those in it, and always the root. Returns the tree's id.
 */
export async function storeTree(
  root: FolderNode,
  former: FolderNode | undefined,
  packs: PackQueue,
): Promise<string> {
  await storeBelow(root, former, packs);
  addFolder(root, former, packs);
  return packs.flush(root.place);
}

async function storeBelow(
  folder: FolderNode,
  former: FolderNode | undefined,
  packs: PackQueue,
): Promise<void> {
  for (const [name, child] of folder.children ?? []) {
    if (child.kind !== 'folder' || child.place !== undefined) continue;
    const known = former?.children?.get(name);
    const old = known?.kind === 'folder' ? known : undefined;
    await storeBelow(child, old, packs);
    addFolder(child, old, packs);
    if (packs.isFull) await packs.flush();
  }
}

function addFolder(folder: FolderNode, former: FolderNode | undefined, packs: PackQueue): void {
  const { bytes, deltas } = encodeFolder(folder.children ?? new Map(), former, (pack) => packs.indexOf(pack));
  folder.place = packs.add(bytes);
  folder.deltas = deltas;
}
