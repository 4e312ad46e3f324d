import { LonghaulError } from '@longhaul/protocol';
import type { PackId, Place } from './node.ts';
import { decodeHeader, decodeIds, decodeObject, HEADER_BYTES, type PackHeader } from './pack.ts';

/** The part of a blob store that reading needs. */
export interface PackBlobs {
  read(id: string, range: { start: number; length: number }): Promise<Uint8Array>;
  stat(id: string): Promise<{ size: number } | undefined>;
}

/** Objects are near one another, so a block is read at once. */
const BLOCK_BYTES = 128 * 1024;
const MAX_BLOCKS = 128;
/** The entries of a folder, not compressed. A folder of a million files fits. */
const MAX_FOLDER_BYTES = 256 * 1024 * 1024;
/** The content of a file is stored in pieces of at most this length. */
export const PIECE_BYTES = 4 * 1024 * 1024;

interface OpenPack extends PackHeader {
  /** Pack 0 is the pack itself. */
  packs: readonly PackId[];
}

/** Reads the objects of packs. Keeps the blocks that were read last. */
export class PackSource {
  readonly #blobs: PackBlobs;
  readonly #blocks = new Map<string, Promise<Uint8Array>>();
  readonly #open = new Map<string, Promise<OpenPack>>();

  constructor(blobs: PackBlobs) {
    this.#blobs = blobs;
  }

  /**
   * Returns where the root of a tree is.
   *
   * @throws {LonghaulError} `store_corrupt` if the blob is not a pack with a root; errors of the blob store.
   */
  async rootOf(id: string): Promise<Place> {
    const { root, packs } = await this.#pack(id);
    const pack = packs[0];
    if (root === undefined || pack === undefined) throw damaged(id);
    return { pack, ...root };
  }

  /** Reads a folder's object, and returns a function that finds the packs it names. */
  async folder(place: Place): Promise<{ bytes: Uint8Array; packAt: (index: number) => PackId }> {
    const id = idOf(place);
    const { packs } = await this.#pack(id);
    const bytes = await this.#object(place, MAX_FOLDER_BYTES);
    return {
      bytes,
      packAt(index) {
        const pack = packs[index];
        if (pack === undefined) throw new RangeError('not a pack');
        return pack;
      },
    };
  }

  /** Reads a piece of a file's content. */
  piece(place: Place): Promise<Uint8Array> {
    return this.#object(place, PIECE_BYTES);
  }

  async #object(place: Place, maxLength: number): Promise<Uint8Array> {
    const id = idOf(place);
    const bytes = await this.#bytes(id, place.offset, place.length);
    try {
      return decodeObject(bytes, maxLength);
    } catch (error) {
      throw damaged(id, error);
    }
  }

  #pack(id: string): Promise<OpenPack> {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const opening = this.#openPack(id);
    this.#open.set(id, opening);
    opening.catch(() => this.#open.delete(id));
    return opening;
  }

  async #openPack(id: string): Promise<OpenPack> {
    const info = await this.#blobs.stat(id);
    if (info === undefined) throw missing(id);
    try {
      const header = decodeHeader(await this.#bytes(id, 0, HEADER_BYTES));
      const ids = decodeIds(await this.#bytes(id, header.idsAt, info.size - header.idsAt));
      return { ...header, packs: [id, ...ids].map((pack) => ({ id: pack })) };
    } catch (error) {
      throw error instanceof LonghaulError ? error : damaged(id, error);
    }
  }

  async #bytes(id: string, offset: number, length: number): Promise<Uint8Array> {
    if (length < 0) throw damaged(id);
    const first = Math.floor(offset / BLOCK_BYTES);
    const isInOneBlock = offset + length <= (first + 1) * BLOCK_BYTES;
    const bytes = isInOneBlock
      ? (await this.#block(id, first)).subarray(
          offset - first * BLOCK_BYTES,
          offset - first * BLOCK_BYTES + length,
        )
      : await this.#blobs.read(id, { start: offset, length });
    if (bytes.length !== length) throw damaged(id);
    return bytes;
  }

  #block(id: string, index: number): Promise<Uint8Array> {
    const key = `${id}:${index}`;
    const block =
      this.#blocks.get(key) ?? this.#blobs.read(id, { start: index * BLOCK_BYTES, length: BLOCK_BYTES });
    this.#blocks.delete(key);
    this.#blocks.set(key, block);
    block.catch(() => this.#blocks.delete(key));
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > MAX_BLOCKS && oldest !== undefined) this.#blocks.delete(oldest);
    return block;
  }
}

function idOf({ pack }: Place): string {
  if (pack.id === undefined) throw new Error('A pack was read before it was stored.');
  return pack.id;
}

function missing(id: string): LonghaulError {
  return new LonghaulError(
    'not_found',
    `The recorded files "${id.slice(0, 80)}" are not in this store. Restore its blobs from a backup. If the session was imported, export it with --files where it was recorded, and import that.`,
    { data: { id } },
  );
}

export function damaged(id: string, cause?: unknown): LonghaulError {
  return new LonghaulError(
    'store_corrupt',
    `The recorded files "${id.slice(0, 80)}" are damaged. Restore the blob from a backup.`,
    { cause, data: { id } },
  );
}
