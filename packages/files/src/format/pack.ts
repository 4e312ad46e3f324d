import { createHash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { PackId, Place } from './node.ts';

/**
 * A pack is a blob of objects: a header, the objects, and the ids of other packs that its objects name. Each object
 * begins with a byte that says how it is stored. Pack 0 of an object is its own pack, 1 the first of the other packs.
 */
const MAGIC = 'LHP1';
/** Magic; offset and length of the root's object (length 0: none); offset of the ids. */
export const HEADER_BYTES = 16;
const ID_BYTES = 32;

const RAW = 0;
const ZSTD = 1;
/** Shorter objects are not compressed. */
const MIN_COMPRESSED = 48;

/** Collects the objects of one pack in memory. */
export class PackWriter {
  readonly pack: PackId = { id: undefined };
  readonly #chunks: Buffer[] = [];
  readonly #others = new Map<string, number>();
  #length = HEADER_BYTES;

  get length(): number {
    return this.#length + this.#others.size * ID_BYTES;
  }

  get isEmpty(): boolean {
    return this.#length === HEADER_BYTES;
  }

  add(content: Uint8Array): Place {
    const compressed = content.length < MIN_COMPRESSED ? undefined : compress(content);
    const isShorter = compressed !== undefined && compressed.length < content.length;
    const body = isShorter ? compressed : content;
    const place = { pack: this.pack, offset: this.#length, length: 1 + body.length };
    this.#chunks.push(Buffer.of(isShorter ? ZSTD : RAW), Buffer.from(body));
    this.#length += place.length;
    return place;
  }

  /** Returns the number that means a pack in objects of this one. */
  readonly indexOf = (pack: PackId): number => {
    if (pack === this.pack) return 0;
    if (pack.id === undefined) throw new Error('A pack was named before it was stored.');
    const known = this.#others.get(pack.id);
    if (known !== undefined) return known;
    this.#others.set(pack.id, this.#others.size + 1);
    return this.#others.size;
  };

  /** Returns the bytes, and gives the pack its id. */
  finish(root?: Place): { id: string; bytes: Buffer } {
    const header = Buffer.alloc(HEADER_BYTES);
    header.write(MAGIC, 'latin1');
    header.writeUInt32LE(root?.offset ?? 0, 4);
    header.writeUInt32LE(root?.length ?? 0, 8);
    header.writeUInt32LE(this.#length, 12);
    const ids = [...this.#others.keys()].map((id) => Buffer.from(id, 'hex'));
    const bytes = Buffer.concat([header, ...this.#chunks, ...ids]);
    const id = createHash('sha256').update(bytes).digest('hex');
    this.pack.id = id;
    return { id, bytes };
  }
}

function compress(content: Uint8Array): Buffer {
  return zstdCompressSync(content, { params: { [constants.ZSTD_c_contentSizeFlag]: 1 } });
}

/**
 * Returns the content of an object.
 *
 * @throws {RangeError} if it is damaged, or longer than `maxLength`.
 */
export function decodeObject(bytes: Uint8Array, maxLength: number): Uint8Array {
  const body = bytes.subarray(1);
  if (bytes[0] === RAW) return body;
  if (bytes[0] !== ZSTD) throw new RangeError('not an object');
  try {
    return zstdDecompressSync(body, { maxOutputLength: maxLength });
  } catch (error) {
    throw new RangeError('not an object', { cause: error });
  }
}

export interface PackHeader {
  root: { offset: number; length: number } | undefined;
  /** Where the ids of other packs begin. They end with the blob. */
  idsAt: number;
}

/** @throws {RangeError} if the bytes do not begin a pack. */
export function decodeHeader(bytes: Uint8Array): PackHeader {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, 4) !== MAGIC)
    throw new RangeError('not a pack');
  const [offset, length] = [header.readUInt32LE(4), header.readUInt32LE(8)];
  return {
    root: length === 0 ? undefined : { offset, length },
    idsAt: header.readUInt32LE(12),
  };
}

/** @throws {RangeError} if these are not whole ids. */
export function decodeIds(bytes: Uint8Array): string[] {
  if (bytes.length % ID_BYTES !== 0) throw new RangeError('not ids');
  const hex = Buffer.from(bytes).toString('hex');
  return Array.from({ length: bytes.length / ID_BYTES }, (_, index) =>
    hex.slice(2 * ID_BYTES * index, 2 * ID_BYTES * (index + 1)),
  );
}
