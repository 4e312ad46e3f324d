import { randomUUID } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { LeafNode } from '../format/node.ts';
import { isGone, type OpenFolder, systemCode } from '../walk/open-folder.ts';
import { isLeftoverOfRestore, restoreTemporary } from '../walk/temporary-names.ts';

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** A file or link that is complete under a temporary name. Disposing of it removes it, unless it was put in place. */
export interface PreparedEntry extends Disposable {
  /** Gives it its name, and replaces what is there. A link there is replaced and not followed. */
  putInPlace(): void;
}

/**
 * @param replaced What it will replace; a file keeps its owner.
 */
export function prepareEntry(
  open: OpenFolder,
  name: string,
  { node, content, replaced }: { node: LeafNode; content: Buffer; replaced: BigIntStats | undefined },
): PreparedEntry {
  const temporary = open.path(restoreTemporary(randomUUID()));
  let isInPlace = false;
  const prepared: PreparedEntry = {
    putInPlace() {
      renameSync(temporary, open.path(name));
      isInPlace = true;
    },
    [Symbol.dispose]() {
      if (!isInPlace) removeIfThere(temporary);
    },
  };
  try {
    if (node.kind === 'link') symlinkSync(content, temporary);
    else writeFile(temporary, { content, mode: node.mode, replaced });
    return prepared;
  } catch (error) {
    prepared[Symbol.dispose]();
    throw error;
  }
}

function writeFile(
  path: string | Buffer,
  { content, mode, replaced }: { content: Buffer; mode: number; replaced: BigIntStats | undefined },
): void {
  const fd = openSync(path, CREATE_FLAGS, 0o600);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(fd, content, at, content.length - at);
    if (replaced?.isFile()) keepOwner(fd, replaced);
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}

function keepOwner(fd: number, { uid, gid }: BigIntStats): void {
  const made = fstatSync(fd, { bigint: true });
  if (made.uid === uid && made.gid === gid) return;
  try {
    fchownSync(fd, Number(uid), Number(gid));
  } catch (error) {
    // Only root may change a file's owner. For other users, the restored file is their own.
    if (systemCode(error) !== 'EPERM') throw error;
  }
}

/** Removes what a killed restore has left in a folder. */
export function removeLeftovers(open: OpenFolder): void {
  for (const name of readdirSync(open.path(), 'latin1'))
    if (isLeftoverOfRestore(name)) removeIfThere(open.path(name));
}

function removeIfThere(path: string | Buffer): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
