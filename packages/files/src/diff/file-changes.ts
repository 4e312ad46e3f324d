import type { ChangedFiles } from '@longhaul/core';
import type { FileChange } from '@longhaul/protocol';
import { isText, showBytes } from '../format/names.ts';
import { type FolderNode, isRestorable, type LeafNode } from '../format/node.ts';
import type { TreeReader } from '../format/tree.ts';
import { compareTrees, type LeafChange } from './compare-trees.ts';
import type { LineCounts } from './content-diff.ts';
import { type ContentDiffer, directDiffer } from './content-differ.ts';
import { type FileDifference, findRenames } from './find-renames.ts';

/** Further changes are counted. */
const MAX_FILES = 1_000;

export interface ChangeOptions {
  /** Maximum number of files in the result. */
  limit?: number | undefined;
  /** Default: this thread. */
  differ?: ContentDiffer | undefined;
}

/** Returns what differs between two trees, for people and for the log. */
export async function changedFiles(
  reader: TreeReader,
  before: FolderNode | undefined,
  after: FolderNode | undefined,
  options?: ChangeOptions,
): Promise<ChangedFiles> {
  return describeChanges(reader, await compareTrees(reader, before, after), options);
}

/** @param changes In the order of paths. */
export async function describeChanges(
  reader: TreeReader,
  changes: readonly LeafChange[],
  { limit = MAX_FILES, differ = directDiffer }: ChangeOptions = {},
): Promise<ChangedFiles> {
  const differences = await findRenames(reader, changes);
  const files: FileChange[] = [];
  for (const difference of differences.slice(0, limit))
    files.push(await toFileChange(reader, differ, difference));
  const more = differences.length - files.length;
  return more === 0 ? { files } : { files, more };
}

async function toFileChange(
  reader: TreeReader,
  differ: ContentDiffer,
  difference: FileDifference,
): Promise<FileChange> {
  const { path, from, before, after } = difference;
  const restorable = [before, after].every((node) => node === undefined || isRestorable(node));
  const mode = after === undefined || !isRestorable(after) ? undefined : gitMode(after);
  const isNewMode = mode !== undefined && (before?.mode !== after?.mode || before?.kind !== after?.kind);
  return {
    ...shownPath(path),
    change: kindOf(difference),
    ...(from !== undefined && { from: showBytes(from) }),
    ...(isNewMode && { mode }),
    ...(restorable && (await lineCounts(reader, differ, difference))),
    restorable,
  };
}

/** Returns a path as `FileChange` shows it. */
function shownPath(path: string): { path: string; pathBytes?: string } {
  if (isText(path)) return { path: showBytes(path) };
  return { path: showBytes(path), pathBytes: Buffer.from(path, 'latin1').toString('base64') };
}

function kindOf({ from, before, after }: FileDifference): FileChange['change'] {
  if (from !== undefined) return 'renamed';
  if (before === undefined) return 'added';
  return after === undefined ? 'deleted' : 'modified';
}

async function lineCounts(
  reader: TreeReader,
  differ: ContentDiffer,
  { before, after }: FileDifference,
): Promise<LineCounts | undefined> {
  if (before?.hash === after?.hash) return { added: 0, removed: 0 };
  const old = before === undefined ? NOTHING : await reader.contentOf(before);
  const now = after === undefined ? NOTHING : await reader.contentOf(after);
  return differ.count(old, now);
}

const NOTHING = Buffer.alloc(0);

/** Returns git's mode, which knows only whether the owner may execute a file. */
export function gitMode({ kind, mode }: LeafNode): string {
  if (kind === 'link') return '120000';
  return (mode & 0o100) === 0 ? '100644' : '100755';
}
