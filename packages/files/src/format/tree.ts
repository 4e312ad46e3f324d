import { createHash } from 'node:crypto';
import { LonghaulError, parseTreeReference } from '@longhaul/protocol';
import { type DecodedFolder, decodeFolder, hashChildren } from './folder-object.ts';
import type { FolderNode, LeafNode, Place, TreeNode } from './node.ts';
import { damaged, type PackSource } from './pack-source.ts';

/** A chain of deltas is shorter than this, unless it is damaged. */
const MAX_CHAIN = 64;

/** Reads trees. What was read of a folder stays in its node. */
export class TreeReader {
  readonly #source: PackSource;

  constructor(source: PackSource) {
    this.#source = source;
  }

  /**
   * Returns the root folder of a tree.
   *
   * @throws {LonghaulError} `not_found` if the tree is not stored, `invalid_request` if it is not a reference to a tree,
   * `store_corrupt`, errors of the blob store.
   */
  async open(reference: string): Promise<FolderNode> {
    const id = parseTreeReference(reference);
    if (id === undefined)
      throw new LonghaulError(
        'invalid_request',
        `${JSON.stringify(reference.slice(0, 80))} names no recorded files. A reference is @tree: and 64 hex digits.`,
      );
    const place = await this.#source.rootOf(id);
    const objects = await this.chain(place);
    const children = toChildren(objects);
    return rootFolder(children, { place, deltas: objects.length - 1 });
  }

  /** @throws {LonghaulError} `not_found`, `store_corrupt`, errors of the blob store. */
  async children(folder: FolderNode): Promise<ReadonlyMap<string, TreeNode>> {
    if (folder.children !== undefined) return folder.children;
    if (folder.place === undefined) throw new Error('A folder is neither stored nor in memory.');
    const children = toChildren(await this.chain(folder.place));
    if (hashChildren(children) !== folder.hash) throw damaged(folder.place.pack.id ?? '');
    folder.children = children;
    return children;
  }

  /** Yields the content of a file or link in pieces. */
  async *content(node: LeafNode): AsyncGenerator<Uint8Array> {
    for (const piece of node.pieces) yield await this.#source.piece(piece);
  }

  /**
   * Returns the whole content of a file or link.
   *
   * @throws {LonghaulError} `store_corrupt` if its hash is another one; the errors of `children`.
   */
  async contentOf(node: LeafNode): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.content(node)) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    if (createHash('sha256').update(bytes).digest('binary') !== node.hash)
      throw damaged(node.pieces[0]?.pack.id ?? '');
    return bytes;
  }

  /** Returns the objects that make up a folder, the oldest first. */
  async chain(place: Place): Promise<FolderObject[]> {
    const found: FolderObject[] = [];
    for (let next: Place | undefined = place; next !== undefined; ) {
      if (found.length > MAX_CHAIN) throw damaged(place.pack.id ?? '');
      const folder = await this.#decode(next);
      found.push({ place: next, folder });
      next = folder.base;
    }
    return found.reverse();
  }

  async #decode(place: Place): Promise<DecodedFolder> {
    const { bytes, packAt } = await this.#source.folder(place);
    try {
      return decodeFolder(bytes, packAt);
    } catch (error) {
      if (error instanceof RangeError) throw damaged(place.pack.id ?? '', error);
      throw error;
    }
  }
}

export interface FolderObject {
  place: Place;
  folder: DecodedFolder;
}

/** The mode of the workspace itself is not recorded. */
export function rootFolder(
  children: ReadonlyMap<string, TreeNode>,
  stored: { place: Place | undefined; deltas: number },
): FolderNode {
  return { kind: 'folder', mode: 0, hash: hashChildren(children), children, ...stored };
}

function toChildren(objects: readonly FolderObject[]): Map<string, TreeNode> {
  const entries = new Map<string, TreeNode>();
  for (const { folder } of objects) {
    for (const name of folder.removed) entries.delete(name);
    for (const [name, node] of folder.entries) entries.set(name, node);
  }
  return objects.length === 1 ? entries : new Map([...entries].sort(byName));
}

/** Compares bytes: names are byte strings. */
export function byName([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
