import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ByteReader, ByteWriter } from '../format/bytes.ts';
import { toBytes } from '../format/names.ts';
import { type FileStat, type FolderNode, HASH_BYTES, type LeafNode } from '../format/node.ts';

/** What an earlier process knew of a folder: the hash of each file by what the file system said. */
export interface CachedFolder {
  files: Map<string, { stat: FileStat; hash: string }>;
  folders: Map<string, CachedFolder>;
}

const VERSION = 'LHC1';

/** For which workspace and settings a cache file is valid. */
export interface CacheOwner {
  workspace: string;
  /** `FileRules.digest`. */
  digest: string;
}

/** Keeps stats of a workspace in a file, which may be lost or damaged at any time. */
export class StatCache {
  readonly #path: string;
  readonly #folder: string;
  readonly #owner: CacheOwner;

  constructor(folder: string, owner: CacheOwner) {
    const name = createHash('sha256').update(owner.workspace).digest('hex').slice(0, 32);
    this.#folder = folder;
    this.#path = join(folder, `${name}.stats`);
    this.#owner = owner;
  }

  /** Returns undefined if there is no valid file. */
  read(): CachedFolder | undefined {
    try {
      const bytes = readFileSync(this.#path);
      const body = bytes.subarray(0, bytes.length - HASH_BYTES);
      if (sumOf(body) !== bytes.subarray(body.length).toString('latin1')) return undefined;
      const reader = new ByteReader(body);
      const isOwn = [VERSION, toBytes(this.#owner.workspace), this.#owner.digest].every(
        (expected) => reader.string() === expected,
      );
      return isOwn ? readFolder(reader) : undefined;
    } catch {
      // A cache that cannot be read is as good as none.
      return undefined;
    }
  }

  /** Replaces the file. If that fails, the next process reads more files. */
  write(root: FolderNode): void {
    const writer = new ByteWriter();
    for (const text of [VERSION, toBytes(this.#owner.workspace), this.#owner.digest]) writer.string(text);
    writeFolder(writer, root);
    const body = writer.done();
    const temporary = `${this.#path}.${randomUUID()}.tmp`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFile(temporary, [body, Buffer.from(sumOf(body), 'latin1')]);
      renameSync(temporary, this.#path);
    } catch {
      rmSync(temporary, { force: true });
    }
  }
}

function writeFile(path: string, pieces: readonly Uint8Array[]): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    for (const piece of pieces)
      for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at, piece.length - at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function sumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('binary');
}

function writeFolder(writer: ByteWriter, { children }: FolderNode): void {
  const entries = [...(children ?? [])];
  const files = entries.flatMap(([name, node]) =>
    node.kind === 'folder' || !isWorthKeeping(node) ? [] : [{ name, node }],
  );
  writer.number(files.length);
  for (const { name, node } of files) writeLeaf(writer, name, node);
  const folders = entries.flatMap(([name, node]) => (node.kind === 'folder' ? [{ name, node }] : []));
  writer.number(folders.length);
  for (const { name, node } of folders) {
    writer.string(name);
    writeFolder(writer, node);
  }
}

function isWorthKeeping({ stat }: LeafNode): boolean {
  return stat?.isSettled === true;
}

function writeLeaf(writer: ByteWriter, name: string, { stat, hash }: LeafNode): void {
  writer.string(name);
  writer.fixed(hash);
  for (const field of STAT_FIELDS) writer.int64(BigInt.asIntN(64, stat?.[field] ?? 0n));
}

const STAT_FIELDS = ['size', 'mtimeNs', 'ctimeNs', 'ino', 'mode'] as const;

function readFolder(reader: ByteReader): CachedFolder {
  const found: CachedFolder = { files: new Map(), folders: new Map() };
  for (let left = reader.number(); left > 0; left -= 1) {
    const name = reader.string();
    const hash = reader.fixed(HASH_BYTES);
    const size = reader.int64();
    const mtimeNs = reader.int64();
    const ctimeNs = reader.int64();
    const ino = BigInt.asUintN(64, reader.int64());
    const mode = reader.int64();
    found.files.set(name, { hash, stat: { size, mtimeNs, ctimeNs, ino, mode, isSettled: true } });
  }
  for (let left = reader.number(); left > 0; left -= 1)
    found.folders.set(reader.string(), readFolder(reader));
  return found;
}
