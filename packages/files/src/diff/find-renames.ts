import { isRestorable } from '../format/node.ts';
import type { LeafChange } from './compare-trees.ts';

/** A change that may come from another path. */
export interface FileDifference extends LeafChange {
  /** Where a renamed file was. `before` is then the file there. */
  from?: string;
}

/** Pairs files that were deleted and added with the same content. A shorter way between two names comes first. */
export function findRenames(changes: readonly LeafChange[]): FileDifference[] {
  const deleted = new Map<string, LeafChange[]>();
  for (const change of changes) {
    const { before, after } = change;
    if (before === undefined || after !== undefined || !isRestorable(before) || before.size === 0) continue;
    const key = before.kind + before.hash;
    deleted.set(key, [...(deleted.get(key) ?? []), change]);
  }
  const sources = new Map<LeafChange, LeafChange>();
  for (const change of changes) {
    const { before, after } = change;
    if (before !== undefined || after === undefined) continue;
    const candidates = deleted.get(after.kind + after.hash);
    const source = candidates === undefined ? undefined : takeNearest(candidates, change.path);
    if (source !== undefined) sources.set(change, source);
  }
  const gone = new Set(sources.values());
  return changes.flatMap((change): FileDifference[] => {
    if (gone.has(change)) return [];
    const source = sources.get(change);
    return [source === undefined ? change : { ...change, before: source.before, from: source.path }];
  });
}

/** Prefers the same name in another folder. */
function takeNearest(candidates: LeafChange[], path: string): LeafChange | undefined {
  const same = candidates.findIndex((candidate) => nameOf(candidate.path) === nameOf(path));
  return candidates.splice(Math.max(0, same), 1)[0];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
