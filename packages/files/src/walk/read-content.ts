import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { FileStat } from '../format/node.ts';
import { PIECE_BYTES } from '../format/pack-source.ts';
import { isSameStat, toFileStat } from './file-stat.ts';
import type { OpenFolder } from './open-folder.ts';

/** How often a file that changes while it is read is read. */
const MAX_READS = 3;
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

export interface ReadOptions {
  hash: () => HashLike;
  now: () => number;
  /** Keeps pieces of the content. Called once for each attempt. Undefined: only the hash is needed. */
  keep: KeepPieces | undefined;
  /** Called after each piece is read. */
  passed: () => void;
}

export interface HashLike {
  update(piece: Uint8Array): unknown;
  digest(encoding: 'binary'): string;
}

/** Receives the pieces of one attempt to read a file. */
export type KeepPieces = () => (piece: Buffer) => void;

export interface ReadResult {
  hash: string;
  size: number;
  mode: number;
  stat: FileStat;
}

/**
 * Reads a regular file, and again if it changes in the meantime. After some attempts the result is a content that was
 * read from first byte to last, and `stat` says that it may be another one already.
 *
 * Returns undefined if there is no regular file. Follows no link.
 */
export function readContent(folder: OpenFolder, name: string, options: ReadOptions): ReadResult | undefined {
  const fd = openSync(folder.path(name), READ_FLAGS);
  try {
    let result: ReadResult | undefined;
    for (let attempt = 1; attempt <= MAX_READS; attempt += 1) {
      const readAt = options.now();
      const before = fstatSync(fd, { bigint: true });
      if (!before.isFile()) return undefined;
      const { hash, size } = readOnce(fd, before, options);
      const after = fstatSync(fd, { bigint: true });
      const stat = toFileStat(after, readAt);
      const isStable = isSameStat(stat, before) && BigInt(size) === before.size;
      result = {
        hash,
        size,
        mode: Number(after.mode & 0o777n),
        stat: { ...stat, isSettled: isStable && stat.isSettled },
      };
      if (isStable) break;
    }
    return result;
  } finally {
    closeSync(fd);
  }
}

/** Reads as many bytes as the file had at first: a file that grows has no end. */
function readOnce(fd: number, { size }: BigIntStats, options: ReadOptions): { hash: string; size: number } {
  const hash = options.hash();
  const keep = options.keep?.();
  const total = Number(size);
  let at = 0;
  while (at < total) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, total - at));
    const count = fill(fd, piece, at);
    if (count === 0) break;
    const read = piece.subarray(0, count);
    hash.update(read);
    keep?.(read);
    at += count;
    options.passed();
  }
  return { hash: hash.digest('binary'), size: at };
}

function fill(fd: number, buffer: Buffer, position: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const count = readSync(fd, buffer, filled, buffer.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

export function sha256(): HashLike {
  return createHash('sha256');
}
