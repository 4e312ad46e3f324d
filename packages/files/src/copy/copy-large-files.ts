import { closeSync, constants, copyFileSync, fchmodSync, fstatSync, openSync, unlinkSync } from 'node:fs';
import { joinPath, showBytes } from '../format/names.ts';
import type { LeafNode } from '../format/node.ts';
import type { TreeReader } from '../format/tree.ts';
import { isGone, isUnreadable } from '../walk/open-folder.ts';
import { type FolderPair, openIfThere } from './folder-pair.ts';

const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEW_FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Copies the files that are too large to be recorded from the workspace itself. Where the file system can, both share
 * their blocks until one is written. Returns the shown paths of the files that were copied.
 */
export async function copyLargeFiles(options: FolderPair & { reader: TreeReader }): Promise<Set<string>> {
  const copied = new Set<string>();
  await copyBelow(options, '', copied);
  return copied;
}

async function copyBelow(
  { reader, source, target, tree }: FolderPair & { reader: TreeReader },
  path: string,
  copied: Set<string>,
): Promise<void> {
  for (const [name, node] of await reader.children(tree)) {
    const below = joinPath(path, name);
    if (node.kind === 'large') {
      if (copyFile({ source, target, name, node })) copied.add(showBytes(below));
    } else if (node.kind === 'folder' && (await hasLarge(reader, node))) {
      using from = openIfThere(source, name);
      if (from === undefined) continue;
      using to = target.openChild(name);
      await copyBelow({ reader, source: from, target: to, tree: node }, below, copied);
    }
  }
}

async function hasLarge(reader: TreeReader, folder: FolderPair['tree']): Promise<boolean> {
  for (const node of (await reader.children(folder)).values())
    if (node.kind === 'large' || (node.kind === 'folder' && (await hasLarge(reader, node)))) return true;
  return false;
}

/** Returns whether the file was copied. One that changes meanwhile is not. */
function copyFile({
  source,
  target,
  name,
  node,
}: Pick<FolderPair, 'source' | 'target'> & { name: string; node: LeafNode }): boolean {
  let from: number;
  try {
    from = openSync(source.path(name), READ_FLAGS);
  } catch (error) {
    if (isGone(error) || isUnreadable(error)) return false;
    throw error;
  }
  const to = openSync(target.path(name), NEW_FLAGS, 0o600);
  try {
    const before = fstatSync(from, { bigint: true });
    if (!before.isFile() || before.size !== BigInt(node.size)) {
      unlinkSync(target.path(name));
      return false;
    }
    copyFileSync(
      pathOf(from) ?? source.path(name),
      pathOf(to) ?? target.path(name),
      constants.COPYFILE_FICLONE,
    );
    fchmodSync(to, node.mode);
    const after = fstatSync(from, { bigint: true });
    if (after.mtimeNs === before.mtimeNs && after.size === before.size) return true;
    unlinkSync(target.path(name));
    return false;
  } finally {
    closeSync(from);
    closeSync(to);
  }
}

/** The open file itself, whatever has its name now. Undefined: this system has no such paths. */
function pathOf(fd: number): string | undefined {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}` : undefined;
}
