import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WorkspaceFiles } from '../ports/index.ts';
import { readInside } from './git-folder.ts';
import type { IndexEntry } from './git-index.ts';

type Files = Pick<WorkspaceFiles, 'root' | 'stat' | 'read'>;

export interface GitChanges {
  /** Number of tracked files that differ from git's index. */
  changedFiles: number;
  /** Not all files were looked at, so there can be more. */
  isPartial?: true;
}

/** More files would delay the start of a run. */
const MAX_LOOKED = 50_000;
/** How many files are looked at together. */
const BATCH = 500;
/** Larger files, and more files, whose time has changed count as changed without a look at their content. */
const MAX_COMPARED_BYTES = 1_000_000;
const MAX_COMPARED = 100;

const SYMLINK = 0o120000;
const SUBMODULE = 0o160000;
const KIND = 0o170000;

/** Counts the tracked files that have changed. A changed file behind a link is never looked at. */
export async function countChanges(files: Files, all: readonly IndexEntry[]): Promise<GitChanges> {
  const entries = all.filter(isInside);
  const compareStat = createComparison(files.root);
  const looked: (boolean | IndexEntry)[] = [];
  for (let start = 0; start < Math.min(entries.length, MAX_LOOKED); start += BATCH) {
    const batch = entries.slice(start, Math.min(start + BATCH, MAX_LOOKED));
    looked.push(...(await Promise.all(batch.map(compareStat))));
  }
  const unsure = looked.filter((each) => typeof each !== 'boolean');
  const compared = await Promise.all(
    unsure.slice(0, MAX_COMPARED).map((entry) => hasOtherContent(files, entry)),
  );
  const rest = Math.max(0, unsure.length - MAX_COMPARED);
  const changedFiles = looked.filter((each) => each === true).length + compared.filter(Boolean).length + rest;
  return { changedFiles, ...(entries.length > MAX_LOOKED && { isPartial: true }) };
}

function isInside({ path }: IndexEntry): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..') && !path.includes('\0');
}

/** Creates a function that returns whether a file has changed, or its entry if only the content can tell. */
function createComparison(root: string): (entry: IndexEntry) => Promise<boolean | IndexEntry> {
  const isFolder = createFolders(root);
  return async (entry) => {
    const kind = entry.mode & KIND;
    if (kind === SUBMODULE) return false;
    // For git too, a file behind a link is deleted.
    if (!(await isFolder(dirname(entry.path)))) return true;
    const info = await lstat(join(root, entry.path)).catch(() => undefined);
    if (info === undefined || info.isSymbolicLink() !== (kind === SYMLINK)) return true;
    if (kind !== SYMLINK && !info.isFile()) return true;
    const hasSameTime = Math.floor(info.mtimeMs / 1_000) === entry.mtimeSeconds;
    // Git stores size 0 for an entry whose content it has to compare.
    if (info.size !== entry.size && entry.size !== 0) return true;
    if (hasSameTime && info.size === entry.size) return false;
    return kind === SYMLINK || info.size > MAX_COMPARED_BYTES ? true : entry;
  };
}

/** Creates a function that returns whether a path and all folders above it in the workspace are folders, not links. */
function createFolders(root: string): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>([['.', Promise.resolve(true)]]);
  const look = async (path: string): Promise<boolean> => {
    if (!(await isFolder(dirname(path)))) return false;
    const info = await lstat(join(root, path)).catch(() => undefined);
    return info?.isDirectory() === true;
  };
  const isFolder = (path: string): Promise<boolean> => {
    const result = known.get(path) ?? look(path);
    known.set(path, result);
    return result;
  };
  return isFolder;
}

async function hasOtherContent(files: Files, { path, objectId }: IndexEntry): Promise<boolean> {
  const data = await readInside(files, path, MAX_COMPARED_BYTES).catch(() => undefined);
  if (data === undefined || data === 'unreadable') return true;
  const hash = createHash('sha1').update(`blob ${data.byteLength}\0`).update(data);
  return hash.digest('hex') !== objectId;
}
