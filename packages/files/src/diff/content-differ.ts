import { mergeContents, type ThreeContents } from '../merge/merge-contents.ts';
import type { LineMerge, MergeLabels } from '../merge/merge-lines.ts';
import { contentPatch, countChangedLines, type LineCounts } from './content-diff.ts';

/** Compares contents of files. */
export interface ContentDiffer {
  /** See `countChangedLines`. */
  count(old: Buffer, now: Buffer): Promise<LineCounts | undefined>;
  /** See `contentPatch`. */
  patch(old: Buffer, now: Buffer, labels: string): Promise<string[]>;
  /** See `mergeContents`. */
  merge(contents: ThreeContents, labels: MergeLabels): Promise<LineMerge | undefined>;
}

/** Compares in the thread that calls it. */
export const directDiffer: ContentDiffer = {
  count: async (old, now) => countChangedLines(old, now),
  patch: async (old, now, labels) => contentPatch(old, now, labels),
  merge: async (contents, labels) => mergeContents(contents, labels),
};
