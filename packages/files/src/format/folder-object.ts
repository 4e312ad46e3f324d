import { createHash } from 'node:crypto';
import { ByteReader, ByteWriter } from './bytes.ts';
import {
  type FolderNode,
  HASH_BYTES,
  isSameNode,
  LEAF_KINDS,
  type LeafKind,
  type PackId,
  type Place,
  type TreeNode,
} from './node.ts';

/** The object of a folder: all its entries, or what differs from an earlier object of the folder. */
const WHOLE = 0;
const DELTA = 1;
const FOLDER = 0;

/** A folder is written whole after this many deltas, so that a reader needs a limited number of objects. */
const MAX_DELTAS = 32;

type Children = ReadonlyMap<string, TreeNode>;

/** Returns the hash of a folder's entries. */
export function hashChildren(children: Children): string {
  const writer = new ByteWriter();
  for (const [name, node] of children) {
    writer.byte(node.kind === 'folder' ? FOLDER : LEAF_KINDS[node.kind]);
    writer.number(node.mode);
    writer.string(name);
    writer.fixed(node.hash);
  }
  return createHash('sha256').update(writer.done()).digest('binary');
}

/**
 * Encodes a folder whose entries have places.
 *
 * @param former An earlier state of the folder. Its object becomes the base of a delta if that is shorter.
 * @param indexOf Returns the number that means a pack in this object.
 */
export function encodeFolder(
  children: Children,
  former: FolderNode | undefined,
  indexOf: (pack: PackId) => number,
): { bytes: Buffer; deltas: number } {
  const delta = former === undefined ? undefined : differences(children, former);
  const writer = new ByteWriter();
  if (former?.place !== undefined && delta !== undefined) {
    writer.byte(DELTA);
    writePlace(writer, former.place, indexOf);
    writer.number(delta.removed.length);
    for (const name of delta.removed) writer.string(name);
    for (const [name, node] of delta.changed) writeEntry(writer, name, node, indexOf);
    return { bytes: writer.done(), deltas: former.deltas + 1 };
  }
  writer.byte(WHOLE);
  for (const [name, node] of children) writeEntry(writer, name, node, indexOf);
  return { bytes: writer.done(), deltas: 0 };
}

/** Undefined if a whole object is better. */
function differences(children: Children, former: FolderNode) {
  const old = former.children;
  if (old === undefined || former.deltas >= MAX_DELTAS) return undefined;
  const removed = [...old.keys()].filter((name) => !children.has(name));
  const changed = [...children].filter(([name, node]) => !isStoredSame(node, old.get(name)));
  return removed.length + 2 * changed.length > children.size ? undefined : { removed, changed };
}

/** Whether an entry can stay as the base object has it. */
function isStoredSame(node: TreeNode, old: TreeNode | undefined): boolean {
  return node === old || (isSameNode(node, old) && (node.kind !== 'folder' || node.place !== undefined));
}

function writeEntry(
  writer: ByteWriter,
  name: string,
  node: TreeNode,
  indexOf: (pack: PackId) => number,
): void {
  writer.string(name);
  writer.byte(node.kind === 'folder' ? FOLDER : LEAF_KINDS[node.kind]);
  writer.number(node.mode);
  writer.fixed(node.hash);
  if (node.kind === 'folder') {
    if (node.place === undefined) throw new Error('A folder must be stored before the folder above it.');
    writePlace(writer, node.place, indexOf);
    writer.number(node.deltas);
    return;
  }
  writer.number(node.size);
  writer.number(node.pieces.length);
  for (const piece of node.pieces) writePlace(writer, piece, indexOf);
}

function writePlace(writer: ByteWriter, place: Place, indexOf: (pack: PackId) => number): void {
  writer.number(indexOf(place.pack));
  writer.number(place.offset);
  writer.number(place.length);
}

export interface DecodedFolder {
  /** The object to which this one is a delta. */
  base: Place | undefined;
  removed: string[];
  entries: [name: string, node: TreeNode][];
}

/** @throws {RangeError} if the bytes are not object of a folder. */
export function decodeFolder(bytes: Uint8Array, packAt: (index: number) => PackId): DecodedFolder {
  const reader = new ByteReader(bytes);
  const kind = reader.byte();
  if (kind !== WHOLE && kind !== DELTA) throw new RangeError('not a folder');
  const base = kind === DELTA ? readPlace(reader, packAt) : undefined;
  const removed = kind === DELTA ? Array.from({ length: readCount(reader) }, () => reader.string()) : [];
  const entries: [string, TreeNode][] = [];
  while (!reader.isAtEnd) entries.push([readName(reader), readNode(reader, packAt)]);
  return { base, removed, entries };
}

/** Names become parts of paths. */
function readName(reader: ByteReader): string {
  const name = reader.string();
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
    throw new RangeError('not a name');
  return name;
}

function readNode(reader: ByteReader, packAt: (index: number) => PackId): TreeNode {
  const code = reader.byte();
  const mode = reader.number();
  const hash = reader.fixed(HASH_BYTES);
  if (mode > 0o777) throw new RangeError('not a mode');
  if (code === FOLDER) {
    const place = readPlace(reader, packAt);
    return { kind: 'folder', mode, hash, place, deltas: reader.number(), children: undefined };
  }
  const kind = KINDS.get(code);
  if (kind === undefined) throw new RangeError('not a kind');
  const size = reader.number();
  const pieces = Array.from({ length: readCount(reader) }, () => readPlace(reader, packAt));
  return { kind, mode, size, hash, pieces };
}

const KINDS = new Map<number, LeafKind>(
  (['file', 'link', 'secret', 'large', 'unreadable'] as const).map((kind) => [LEAF_KINDS[kind], kind]),
);

function readPlace(reader: ByteReader, packAt: (index: number) => PackId): Place {
  return { pack: packAt(reader.number()), offset: reader.number(), length: reader.number() };
}

/** A count is limited, so that damaged bytes do not fill the memory. */
function readCount(reader: ByteReader): number {
  const count = reader.number();
  if (count > 10_000_000) throw new RangeError('not a count');
  return count;
}
