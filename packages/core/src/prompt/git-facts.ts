import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceFiles } from '../ports/index.ts';
import { type IndexEntry, readGitIndex } from './git-index.ts';

export interface GitFacts {
  /** Name of the branch, or the beginning of the commit's id if none is checked out. */
  head: string;
  /**
   * Number of tracked files that differ from git's index. Absent if the index is too large or of an unknown form. Files
   * that git does not track are not counted.
   */
  changedFiles?: number;
}

type Files = Pick<WorkspaceFiles, 'root' | 'stat' | 'read'>;

const MAX_HEAD_BYTES = 1_024;
const MAX_INDEX_BYTES = 1_000_000;
/** More files would delay the start of a run. */
const MAX_ENTRIES = 5_000;
/** Larger files, and more files, whose time has changed count as changed without a look at their content. */
const MAX_COMPARED_BYTES = 1_000_000;
const MAX_COMPARED = 100;

const SYMLINK = 0o120000;
const SUBMODULE = 0o160000;
const KIND = 0o170000;

/**
 * Reads the branch and the number of changed files of the repository in a workspace. Undefined if there is none.
 *
 * Reads the files of git itself. The program `git` would run what the repository's configuration names: hooks, filters,
 * a file system monitor. Nothing outside the workspace is read, so a linked working tree has no facts.
 */
export async function readGitFacts(files: Files): Promise<GitFacts | undefined> {
  try {
    const head = headIn(await readSome(files, '.git/HEAD', MAX_HEAD_BYTES));
    if (head === undefined) return undefined;
    return { head, changedFiles: await countChanges(files) };
  } catch {
    // The files are not readable, or change at this moment. The session can work without these facts.
    return undefined;
  }
}

async function readSome(files: Files, path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const info = await files.stat(path);
  // Reading anything else, such as a pipe, could wait without end.
  if (info?.kind !== 'file' || info.size > maxBytes) return undefined;
  return await files.read(path, { start: 0, length: info.size });
}

function headIn(data: Uint8Array | undefined): string | undefined {
  const text = new TextDecoder().decode(data).trim();
  const [, branch] = /^ref: refs\/heads\/([^\p{C}\s]{1,200})$/u.exec(text) ?? [];
  if (branch !== undefined) return branch;
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text) ? text.slice(0, 8) : undefined;
}

async function countChanges(files: Files): Promise<number | undefined> {
  const data = await readSome(files, '.git/index', MAX_INDEX_BYTES);
  const entries = data === undefined ? undefined : readGitIndex(data);
  if (entries === undefined || entries.length > MAX_ENTRIES) return undefined;
  const looked = await Promise.all(entries.filter(isInside).map((entry) => compareStat(files, entry)));
  const unsure = looked.flatMap((each) => (typeof each === 'boolean' ? [] : [each]));
  const compared = await Promise.all(
    unsure.slice(0, MAX_COMPARED).map((entry) => hasOtherContent(files, entry)),
  );
  const rest = Math.max(0, unsure.length - MAX_COMPARED);
  return looked.filter((each) => each === true).length + compared.filter(Boolean).length + rest;
}

function isInside({ path }: IndexEntry): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..');
}

/** Returns whether the file has changed, or its entry if only the content can tell. */
async function compareStat({ root }: Files, entry: IndexEntry): Promise<boolean | IndexEntry> {
  const kind = entry.mode & KIND;
  if (kind === SUBMODULE) return false;
  const info = await lstat(join(root, entry.path)).catch(() => undefined);
  if (info === undefined || info.isSymbolicLink() !== (kind === SYMLINK)) return true;
  if (kind !== SYMLINK && !info.isFile()) return true;
  const hasSameTime = Math.floor(info.mtimeMs / 1_000) === entry.mtimeSeconds;
  // Git stores size 0 for an entry whose content it has to compare.
  if (info.size !== entry.size && entry.size !== 0) return true;
  if (hasSameTime && info.size === entry.size) return false;
  return kind === SYMLINK || info.size > MAX_COMPARED_BYTES ? true : entry;
}

async function hasOtherContent(files: Files, { path, objectId }: IndexEntry): Promise<boolean> {
  const data = await readSome(files, path, MAX_COMPARED_BYTES).catch(() => undefined);
  if (data === undefined) return true;
  const hash = createHash('sha1').update(`blob ${data.byteLength}\0`).update(data);
  return hash.digest('hex') !== objectId;
}
