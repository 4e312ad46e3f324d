import { joinPath, showBytes } from '../format/names.ts';
import type { FolderNode, LeafNode } from '../format/node.ts';
import { type PackBlobs, PackSource } from '../format/pack-source.ts';
import { TreeReader } from '../format/tree.ts';
import { isBroken } from './packs-of.ts';

export interface TreeCheck {
  /** Number of files and links whose content was compared with its hash. */
  compared: number;
  /** Files, links and folders that cannot be restored, with the reason. The path of the tree itself is empty. */
  problems: { path: string; reason: string }[];
}

/**
 * Reads a whole tree and compares everything with its hash.
 *
 * @throws Errors of the blob store, except that a blob is missing or damaged.
 */
export async function checkTree(blobs: PackBlobs, reference: string): Promise<TreeCheck> {
  const check = new Check(new TreeReader(new PackSource(blobs)));
  await check.attempt('', async () => check.folder('', await check.reader.open(reference)));
  return check.result;
}

class Check {
  readonly result: TreeCheck = { compared: 0, problems: [] };
  readonly reader: TreeReader;

  constructor(reader: TreeReader) {
    this.reader = reader;
  }

  async folder(path: string, folder: FolderNode): Promise<void> {
    for (const [name, node] of await this.reader.children(folder)) {
      const below = joinPath(path, name);
      const work = () => (node.kind === 'folder' ? this.folder(below, node) : this.#leaf(node));
      await this.attempt(below, work);
    }
  }

  async attempt(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isBroken(error)) throw error;
      this.result.problems.push({ path: showBytes(path), reason: error.message });
    }
  }

  async #leaf(node: LeafNode): Promise<void> {
    if (node.kind !== 'file' && node.kind !== 'link') return;
    await this.reader.contentOf(node);
    this.result.compared += 1;
  }
}
