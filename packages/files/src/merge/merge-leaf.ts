import type { MergeConflictReason } from '@longhaul/core';
import { isRestorable, isSameNode, type LeafNode, type TreeNode } from '../format/node.ts';
import { type UnrecordedKind, unrecordedKind } from '../format/unrecorded.ts';
import type { ThreeContents } from './merge-contents.ts';
import type { LineMerge } from './merge-lines.ts';

/** One file, link or other entry in three states. Undefined: there is none. */
export interface ThreeLeaves {
  base: LeafNode | undefined;
  theirs: LeafNode | undefined;
  /** Any node can be at its place. */
  ours: TreeNode | undefined;
}

export type LeafMerge =
  | { merged: LeafNode | undefined }
  /** A new content. With `conflicts`, it contains markers. */
  | { text: LineMerge; mode: number }
  | { conflict: MergeConflictReason }
  /** Their form of it is not recorded. */
  | { left: UnrecordedKind };

/** Reads and merges contents. Undefined: they cannot be merged by lines. */
export type MergeContents = (contents: ThreeContents) => Promise<LineMerge | undefined>;
export type ReadContent = (node: LeafNode) => Promise<Buffer>;

/** Decides what becomes of an entry that `theirs` changed. */
export async function mergeLeaf(
  { base, theirs, ours }: ThreeLeaves,
  { read, merge }: { read: ReadContent; merge: MergeContents },
): Promise<LeafMerge> {
  if (ours?.kind === 'folder') {
    // `TreeEdits` finds out whether files are left in the folder.
    return theirs === undefined || base === undefined ? { merged: theirs } : { conflict: 'kind' };
  }
  if (isSameNode(theirs, ours)) return { merged: ours };
  const changed = theirs ?? base;
  const left = changed && unrecordedKind(changed);
  if (left !== undefined) return { left };
  if (isSameNode(base, ours)) return { merged: theirs };
  if (isSameNode(base, theirs)) return { merged: ours };
  if (ours === undefined) return { conflict: 'deleted-here' };
  if (!isRestorable(ours)) return { conflict: 'unrecorded' };
  if (theirs === undefined) return { conflict: 'deleted-there' };
  if (ours.kind !== 'file' || theirs.kind !== 'file')
    return { conflict: base === undefined ? 'added' : ours.kind === theirs.kind ? 'content' : 'kind' };
  return mergeFiles({ base: base?.kind === 'file' ? base : undefined, theirs, ours }, { read, merge });
}

async function mergeFiles(
  { base, theirs, ours }: { base: LeafNode | undefined; theirs: LeafNode; ours: LeafNode },
  { read, merge }: { read: ReadContent; merge: MergeContents },
): Promise<LeafMerge> {
  const mode = pick(base?.mode, theirs.mode, ours.mode);
  if (mode === undefined) return { conflict: 'mode' };
  const hash = pick(base?.hash, theirs.hash, ours.hash);
  if (hash !== undefined)
    return { merged: { ...(hash === ours.hash ? ours : theirs), mode, stat: undefined } };
  const contents = {
    base: base === undefined ? undefined : await read(base),
    ours: await read(ours),
    theirs: await read(theirs),
  };
  const text = await merge(contents);
  return text === undefined ? { conflict: base === undefined ? 'added' : 'content' } : { text, mode };
}

/** Returns the value that one side changed, or both changed to the same. Undefined: they changed it differently. */
function pick<Value>(base: Value | undefined, theirs: Value, ours: Value): Value | undefined {
  if (theirs === ours || theirs === base) return ours;
  return ours === base ? theirs : undefined;
}
