import type { TreeReader } from '../format/tree.ts';
import type { LeafChange } from './compare-trees.ts';
import { findSimilar, nameOf, type SimilarPair } from './similar-files.ts';

/** A change that may come from another path. */
export interface FileDifference extends LeafChange {
  /** Where a renamed file was. `before` is then the file there. */
  from?: string;
  /** Part of the content that a renamed file kept: from 0.5 to 1. */
  similarity?: number;
}

/**
 * Pairs files that were deleted with files that were added: first those with the same content, then those with at least
 * half of it in common.
 */
export async function findRenames(
  reader: TreeReader,
  changes: readonly LeafChange[],
): Promise<FileDifference[]> {
  const deleted = changes.filter(({ before, after }) => before !== undefined && after === undefined);
  const added = changes.filter(({ before, after }) => before === undefined && after !== undefined);
  if (deleted.length === 0 || added.length === 0) return [...changes];
  const pairs = findEqual(deleted, added);
  const taken = new Set(pairs.flatMap(({ source, target }) => [source, target]));
  const isLeft = (change: LeafChange) => !taken.has(change);
  pairs.push(...(await findSimilar(reader, deleted.filter(isLeft), added.filter(isLeft))));

  const byTarget = new Map(pairs.map((pair) => [pair.target, pair]));
  const gone = new Set(pairs.map(({ source }) => source));
  return changes.flatMap((change): FileDifference[] => {
    if (gone.has(change)) return [];
    const pair = byTarget.get(change);
    if (pair === undefined) return [change];
    const { source, similarity } = pair;
    return [{ ...change, before: source.before, from: source.path, similarity }];
  });
}

/**
 * Pairs files with the same content. A link is never renamed: `git apply` does not see from a rename that a link goes
 * away, and refuses files in a folder that takes its place.
 */
function findEqual(deleted: readonly LeafChange[], added: readonly LeafChange[]): SimilarPair[] {
  const sources = new Map<string, LeafChange[]>();
  for (const change of deleted) {
    const { before } = change;
    if (before?.kind !== 'file' || before.size === 0) continue;
    const others = sources.get(before.hash);
    if (others === undefined) sources.set(before.hash, [change]);
    else others.push(change);
  }
  return added.flatMap((target) => {
    const { after } = target;
    const candidates = after?.kind === 'file' ? sources.get(after.hash) : undefined;
    const source = candidates === undefined ? undefined : takeNearest(candidates, target.path);
    return source === undefined ? [] : [{ source, target, similarity: 1 }];
  });
}

/** Prefers the same name in another folder. */
function takeNearest(candidates: LeafChange[], path: string): LeafChange | undefined {
  const same = candidates.findIndex((candidate) => nameOf(candidate.path) === nameOf(path));
  return candidates.splice(Math.max(0, same), 1)[0];
}
