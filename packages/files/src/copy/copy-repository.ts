import { closeSync, constants, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SharedFolder } from '@longhaul/core';
import { isGone, isUnreadable, type OpenFolder } from '../walk/open-folder.ts';
import { readContent, sha256 } from '../walk/read-content.ts';
import { makeFolder, openIfThere } from './folder-pair.ts';
import { gitConfig } from './git-config.ts';
import { linkEntries } from './share-dependencies.ts';

/** The original's objects, from the folder `objects` of the copy. */
const SHARED_OBJECTS = '../shared-objects';
const MEGABYTE = 1_048_576;
const NEW_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export interface CopyRepositoryOptions {
  source: OpenFolder;
  target: OpenFolder;
  /** Real path of the workspace that is copied. */
  original: string;
}

/**
 * Gives the copy a repository of its own: the branches, tags and index of the original, and its objects to read.
 * Commands of git in the copy write only into the copy. Remotes, hooks and other settings are left out, so nothing can
 * be pushed.
 *
 * Returns where the original's objects are. Undefined: the workspace has no repository that can be copied. One whose
 * `.git` is a file, such as a worktree, is not: the file could name any repository on the machine.
 */
export function copyRepository({
  source,
  target,
  original,
}: CopyRepositoryOptions): SharedFolder | undefined {
  using from = openIfThere(source, '.git');
  if (from === undefined) return undefined;
  const head = readSmall(from, 'HEAD', 4_096);
  using objects = openIfThere(from, 'objects');
  if (head === undefined || objects === undefined || isWithTables(from)) return undefined;
  using to = target.entry('.git') === undefined ? makeFolder(target, '.git') : target.openChild('.git');
  writeNew(to, 'config', gitConfig(readSmall(from, 'config', MEGABYTE)?.toString() ?? ''));
  writeNew(to, 'HEAD', head);
  for (const name of ['packed-refs', 'shallow']) copySmall({ from, to }, name, 64 * MEGABYTE);
  // A split index consists of several files. Without an index, `git reset` makes one.
  if (!readdirSync(from.path(), 'latin1').some((name) => name.startsWith('sharedindex.')))
    copySmall({ from, to }, 'index', 256 * MEGABYTE);
  copyFolder({ from, to }, 'refs');
  copyExclude(from, to);
  const inode = String(objects.info().ino);
  const shared = { from: join(original, '.git/objects'), to: '.git/shared-objects', inode };
  writeObjects(to, objects, shared.from);
  return shared;
}

/** Branches in tables, or another format that this version does not know. */
function isWithTables(from: OpenFolder): boolean {
  return from.entry('reftable') !== undefined;
}

/** The rules of what is not recorded must hold in the copy, too. */
function copyExclude(from: OpenFolder, to: OpenFolder): void {
  using info = makeFolder(to, 'info');
  using source = openIfThere(from, 'info');
  if (source !== undefined) copySmall({ from: source, to: info }, 'exclude', MEGABYTE);
}

function writeObjects(to: OpenFolder, objects: OpenFolder, path: string): void {
  using own = makeFolder(to, 'objects');
  using info = makeFolder(own, 'info');
  writeNew(info, 'alternates', `${SHARED_OBJECTS}\n`);
  mkdirSync(own.path('pack'));
  using shared = makeFolder(to, 'shared-objects');
  linkEntries(objects, shared, Buffer.from(path));
}

interface FolderCopy {
  from: OpenFolder;
  to: OpenFolder;
}

/** Copies small regular files of a folder and below. */
function copyFolder({ from, to }: FolderCopy, name: string): void {
  using source = openIfThere(from, name);
  if (source === undefined) return;
  using target = makeFolder(to, name);
  for (const entry of readdirSync(source.path(), 'latin1')) {
    if (source.entry(entry)?.isDirectory()) copyFolder({ from: source, to: target }, entry);
    else copySmall({ from: source, to: target }, entry, 4_096);
  }
}

function copySmall({ from, to }: FolderCopy, name: string, maxBytes: number): void {
  const content = readSmall(from, name, maxBytes);
  if (content !== undefined) writeNew(to, name, content);
}

function writeNew(folder: OpenFolder, name: string, content: string | Buffer): void {
  const fd = openSync(folder.path(name), NEW_FLAGS, 0o644);
  try {
    writeFileSync(fd, content);
  } finally {
    closeSync(fd);
  }
}

/** Undefined: it is missing, no regular file, not readable, or larger. */
function readSmall(folder: OpenFolder, name: string, maxBytes: number): Buffer | undefined {
  const info = folder.entry(name);
  if (!info?.isFile() || info.size > BigInt(maxBytes)) return undefined;
  let pieces: Buffer[] = [];
  const keep = () => {
    pieces = [];
    return (piece: Buffer) => void pieces.push(piece);
  };
  try {
    const read = readContent(folder, name, { hash: sha256, now: Date.now, keep, passed: () => undefined });
    return read === undefined ? undefined : Buffer.concat(pieces);
  } catch (error) {
    if (isGone(error) || isUnreadable(error)) return undefined;
    throw error;
  }
}
