import { compareTrees } from '../diff/compare-trees.ts';
import { type FileDifference, findRenames } from '../diff/find-renames.ts';
import { nodeAt } from '../format/look-up.ts';
import { type FolderNode, isSameNode } from '../format/node.ts';
import type { TreeReader } from '../format/tree.ts';
import type { ThreeLeaves } from './merge-leaf.ts';

/** A file that `theirs` changed, and where it is in the three states. */
export interface MergeCase extends ThreeLeaves {
  /** Where it is in `ours`. */
  from: string;
  /** Where the result belongs. */
  to: string;
  /** It was moved in a way that cannot be joined. */
  isMovedApart?: boolean;
}

/** Finds the files that `theirs` changed, also where one side has renamed them. */
export async function mergeCases(
  reader: TreeReader,
  { base, theirs, ours }: { base: FolderNode; theirs: FolderNode; ours: FolderNode },
): Promise<MergeCase[]> {
  const changed = await findRenames(reader, await compareTrees(reader, base, theirs));
  if (changed.length === 0) return [];
  const here = await findRenames(reader, await compareTrees(reader, base, ours));
  const movedHere = new Map(here.flatMap(({ from, path }) => (from === undefined ? [] : [[from, path]])));
  const cases: MergeCase[] = [];
  for (const difference of changed) cases.push(await toCase(reader, ours, { difference, movedHere }));
  return cases;
}

async function toCase(
  reader: TreeReader,
  ours: FolderNode,
  { difference, movedHere }: { difference: FileDifference; movedHere: ReadonlyMap<string, string> },
): Promise<MergeCase> {
  const { path, from = path, before: base, after: theirs } = difference;
  const here = base === undefined ? path : (movedHere.get(from) ?? from);
  const isMovedThere = from !== path;
  const isMovedHere = here !== from;
  const to = isMovedThere ? path : here;
  const own = await nodeAt(reader, ours, here);
  const found = { base, theirs, ours: own, from: here, to };
  if (isMovedHere) {
    const isApart = theirs === undefined || (isMovedThere && here !== path);
    return isApart ? { ...found, isMovedApart: true } : found;
  }
  if (!isMovedThere || own !== undefined) return found;
  // Both can have moved it to the same place, where it was changed too much for a rename.
  const there = await nodeAt(reader, ours, path);
  return isSameNode(there, theirs) ? { ...found, ours: there, from: path } : { ...found, isMovedApart: true };
}
