import { LonghaulError, parseTreeReference } from '@longhaul/protocol';
import type { FolderNode, PackId, Place } from '../format/node.ts';
import { type PackBlobs, PackSource } from '../format/pack-source.ts';
import { TreeReader } from '../format/tree.ts';

export interface PackCensus {
  /** Ids of all blobs that the trees need. */
  packs: Set<string>;
  /** Trees that could not be read to the end. Blobs that they need can be missing in `packs`. */
  broken: string[];
}

/**
 * Finds the blobs that trees need: of their contents, of their folders, and of the objects to which a folder is a
 * delta. Each folder is read once, however many trees have it.
 *
 * @throws Errors of the blob store, except that a blob is missing or damaged.
 */
export async function packsOf(blobs: PackBlobs, references: Iterable<string>): Promise<PackCensus> {
  const walk = new PackWalk(blobs);
  const broken: string[] = [];
  for (const reference of references) {
    try {
      await walk.visitTree(reference);
    } catch (error) {
      if (!isBroken(error)) throw error;
      broken.push(reference);
    }
  }
  return { packs: walk.packs, broken };
}

export function isBroken(error: unknown): error is LonghaulError {
  return error instanceof LonghaulError && BROKEN.has(error.code);
}

const BROKEN = new Set<string>(['not_found', 'blob_not_found', 'store_corrupt', 'invalid_request']);

class PackWalk {
  readonly packs = new Set<string>();
  readonly #reader: TreeReader;
  /** Folders that were read with everything below them. */
  readonly #visited = new Set<string>();

  constructor(blobs: PackBlobs) {
    this.#reader = new TreeReader(new PackSource(blobs));
  }

  async visitTree(reference: string): Promise<void> {
    const id = parseTreeReference(reference);
    // The pack that is named is kept even if it cannot be read.
    if (id !== undefined) this.packs.add(id);
    await this.#visitFolder(await this.#reader.open(reference));
  }

  async #visitFolder(folder: FolderNode): Promise<void> {
    const { place } = folder;
    if (place === undefined || this.#visited.has(keyOf(place))) return;
    for (const object of await this.#reader.chain(place)) this.#add(object.place.pack);
    const children = await this.#reader.children(folder);
    for (const node of children.values()) {
      if (node.kind === 'folder') await this.#visitFolder(node);
      else for (const piece of node.pieces) this.#add(piece.pack);
    }
    this.#visited.add(keyOf(place));
  }

  #add({ id }: PackId): void {
    if (id !== undefined) this.packs.add(id);
  }
}

function keyOf({ pack, offset }: Place): string {
  return `${pack.id}:${offset}`;
}
