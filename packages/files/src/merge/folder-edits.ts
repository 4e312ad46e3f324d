import { joinPath } from '../format/names.ts';
import type { FolderNode, TreeNode } from '../format/node.ts';
import type { TreeReader } from '../format/tree.ts';
import type { FolderEdit } from './tree-edits.ts';

export interface PlacedFolderEdit {
  path: string;
  edit: FolderEdit;
}

/** Returns how the folders of two trees differ. Reads only folders that differ. */
export async function folderEdits(
  reader: TreeReader,
  before: FolderNode,
  after: FolderNode,
): Promise<PlacedFolderEdit[]> {
  const found: PlacedFolderEdit[] = [];
  await compare(reader, { before, after, path: '' }, found);
  return found;
}

async function compare(
  reader: TreeReader,
  { before, after, path }: { before: FolderNode | undefined; after: FolderNode | undefined; path: string },
  found: PlacedFolderEdit[],
): Promise<void> {
  if (before?.hash === after?.hash) return;
  const old = before === undefined ? NONE : await reader.children(before);
  const now = after === undefined ? NONE : await reader.children(after);
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [former, folder] = [asFolder(old.get(name)), asFolder(now.get(name))];
    const below = joinPath(path, name);
    const edit = editOf(former, folder);
    if (edit !== undefined) found.push({ path: below, edit });
    // What is in a folder that cannot be read is not known.
    const isKnown = [old, now].every((children) => children.get(name)?.kind !== 'unreadable');
    if (isKnown) await compare(reader, { before: former, after: folder, path: below }, found);
  }
}

const NONE: ReadonlyMap<string, TreeNode> = new Map();

function editOf(former: FolderNode | undefined, folder: FolderNode | undefined): FolderEdit | undefined {
  if (folder === undefined) return former && { kind: 'remove' };
  if (former === undefined) return { kind: 'make', mode: folder.mode };
  return former.mode === folder.mode ? undefined : { kind: 'mode', from: former.mode, to: folder.mode };
}

function asFolder(node: TreeNode | undefined): FolderNode | undefined {
  return node?.kind === 'folder' ? node : undefined;
}
