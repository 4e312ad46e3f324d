import type { Mark, PatchPart, RevertMark } from '@longhaul/protocol';

/** The states of a workspace during a session. They follow each other in the order of the log, also across reverts. */

/** A patch, and its place in the log. */
export interface PlacedPatch {
  sequence: number;
  /** Index of the part in its message. */
  index: number;
  part: PatchPart;
}

/** What is recorded of a workspace: the patches in the order of the log, and the marks in theirs. */
export interface RecordedTrees {
  patches: readonly PlacedPatch[];
  marks: readonly Mark[];
}

/**
 * Returns the workspace's tree before a message: the last one that was recorded before the work of the message began.
 * What others changed before the message's first tool call precedes that work. Before the first record, returns the
 * first tree: nothing was changed before it. Undefined if there is no tree.
 *
 * @param sequence Of the message. Infinity: the newest tree.
 */
export function treeBefore(sequence: number, { patches, marks }: RecordedTrees): string | undefined {
  const own = patches.filter((patch) => patch.sequence === sequence && patch.part.atRevert !== true);
  const firstOfAgent = own.findIndex(({ part }) => part.byAgent);
  const others = firstOfAgent === -1 ? own : own.slice(0, firstOfAgent);
  const ownTree = others.at(-1)?.part.after;
  if (ownTree !== undefined) return ownTree;
  const patch = patches.findLast((earlier) => earlier.sequence < sequence);
  return treeAt(sequence, patch, { patches, marks }) ?? firstTree({ patches, marks });
}

/**
 * Returns the workspace's tree after a message: the last one that was recorded before the next message was appended,
 * without a revert that was made in between and what it recorded. Before the first record, returns the first tree.
 * Undefined if there is no tree.
 *
 * @param sequence Of the message. Infinity: the newest tree.
 */
export function treeAfter(sequence: number, { patches, marks }: RecordedTrees): string | undefined {
  const patch = patches.findLast(
    (earlier) =>
      earlier.sequence < sequence || (earlier.sequence === sequence && earlier.part.atRevert !== true),
  );
  return treeAt(sequence, patch, { patches, marks }) ?? firstTree({ patches, marks });
}

/** Returns the tree of a patch, or of the newest revert that follows it and precedes a message. */
function treeAt(
  sequence: number,
  patch: PlacedPatch | undefined,
  { patches, marks }: RecordedTrees,
): string | undefined {
  const revert = revertsWithTrees(marks).findLast(({ at }) => at < sequence);
  if (revert !== undefined && (patch === undefined || precedes(patch, revert))) return revert.treeAfter;
  const next = patch?.part.atRevert === true ? patches[patches.indexOf(patch) + 1] : undefined;
  // A copy has the patch without its revert, and its first record says what its folder was.
  if (next !== undefined && next.part.before === undefined) return next.part.after;
  return patch?.part.after;
}

/** Returns whether a patch was recorded before a revert was made. */
export function precedes({ sequence, index }: PlacedPatch, { at, parts }: RevertMark): boolean {
  return sequence < at || (sequence === at && index < (parts ?? Number.POSITIVE_INFINITY));
}

function firstTree({ patches, marks }: RecordedTrees): string | undefined {
  const first = patches[0]?.part;
  return first?.before ?? first?.after ?? revertsWithTrees(marks)[0]?.treeBefore;
}

/** Returns every tree of a session once, in no particular order. */
export function treesOf({ patches, marks }: RecordedTrees): Set<string> {
  const ofPatches = patches.flatMap(({ part }) => [part.before, part.after]);
  const ofReverts = revertsWithTrees(marks).flatMap((mark) => [mark.treeBefore, mark.treeAfter]);
  return new Set([...ofPatches, ...ofReverts].filter((tree) => tree !== undefined));
}

function revertsWithTrees(marks: readonly Mark[]) {
  return marks.flatMap((mark) => (mark.kind === 'revert' && mark.treeAfter !== undefined ? [mark] : []));
}
