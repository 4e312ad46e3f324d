import { contentPatch, countChangedLines, type LineCounts } from './content-diff.ts';

/** Compares contents of files. */
export interface ContentDiffer {
  /** See `countChangedLines`. */
  count(old: Buffer, now: Buffer): Promise<LineCounts | undefined>;
  /** See `contentPatch`. */
  patch(old: Buffer, now: Buffer, labels: string): Promise<string[]>;
}

/** Compares in the thread that calls it. */
export const directDiffer: ContentDiffer = {
  count: async (old, now) => countChangedLines(old, now),
  patch: async (old, now, labels) => contentPatch(old, now, labels),
};
