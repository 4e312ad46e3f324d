import { setImmediate } from 'node:timers/promises';
import type { LeafNode } from '../format/node.ts';
import type { TreeReader } from '../format/tree.ts';
import type { LeafChange } from './compare-trees.ts';
import { ContentIndex, fingerprintOf } from './content-index.ts';

/** Part of the larger content that two files have in common at least. Git's default. */
const MIN_SIMILARITY = 0.5;
/** With more deleted or more added files, none are compared. Git's default. */
const MAX_FILES = 1_000;
/** Larger files are not compared. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** If all files that can be compared have more bytes, none are. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
/** Comparisons of single pieces, such as lines. They take less than a second. */
const MAX_COMPARISONS = 20_000_000;

/** A file that was deleted, and one that was added and has at least half of its content. */
export interface SimilarPair {
  source: LeafChange;
  target: LeafChange;
  /** From 0.5 to 1. */
  similarity: number;
}

/**
 * Pairs deleted with added files of similar content, the most similar ones first. Of several sources that are as
 * similar, one with the same name comes first. Returns none if the work would be too much.
 */
export async function findSimilar(
  reader: TreeReader,
  deleted: readonly LeafChange[],
  added: readonly LeafChange[],
): Promise<SimilarPair[]> {
  const sizes = new Map<LeafChange, number>();
  const sources = deleted.filter((change) => isComparable(change.before, change, sizes));
  const targets = added.filter((change) => isComparable(change.after, change, sizes));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (sources.length > MAX_FILES || targets.length > MAX_FILES || bytes > MAX_TOTAL_BYTES) return [];
  if (sources.length === 0 || targets.length === 0) return [];

  const index = new ContentIndex();
  for (const [owner, { before }] of sources.entries()) {
    if (before === undefined) continue;
    await setImmediate();
    index.add(owner, fingerprintOf(await reader.contentOf(before)));
  }
  const pairs: SimilarPair[] = [];
  const budget = { left: MAX_COMPARISONS };
  for (const target of targets) {
    if (target.after === undefined) continue;
    // A large file takes some milliseconds.
    await setImmediate();
    const common = index.commonBytes(fingerprintOf(await reader.contentOf(target.after)), budget);
    if (common === undefined) return [];
    for (const [owner, bytesInCommon] of common) {
      const source = sources[owner];
      const similarity = bytesInCommon / Math.max(sizes.get(target) ?? 0, sizes.get(source ?? target) ?? 0);
      if (source !== undefined && similarity >= MIN_SIMILARITY) pairs.push({ source, target, similarity });
    }
  }
  return takeBest(pairs);
}

/** Links and empty files have no similar ones. */
function isComparable(
  node: LeafNode | undefined,
  change: LeafChange,
  sizes: Map<LeafChange, number>,
): boolean {
  if (node?.kind !== 'file' || node.size === 0 || node.size > MAX_FILE_BYTES) return false;
  sizes.set(change, node.size);
  return true;
}

function takeBest(pairs: readonly SimilarPair[]): SimilarPair[] {
  const taken = new Set<LeafChange>();
  const hasSameName = ({ source, target }: SimilarPair) => nameOf(source.path) === nameOf(target.path);
  const order = pairs.toSorted(
    (a, b) => b.similarity - a.similarity || Number(hasSameName(b)) - Number(hasSameName(a)),
  );
  return order.filter(({ source, target }) => {
    if (taken.has(source) || taken.has(target)) return false;
    taken.add(source).add(target);
    return true;
  });
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
