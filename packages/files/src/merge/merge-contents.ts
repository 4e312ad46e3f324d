import { toLines } from '../diff/text-lines.ts';
import { type LineMerge, type MergeLabels, mergeLines } from './merge-lines.ts';

/** Three contents of a file. Without `base`, both sides added the file. */
export interface ThreeContents {
  base: Uint8Array | undefined;
  ours: Uint8Array;
  theirs: Uint8Array;
}

/** Merges contents by lines. Undefined: they cannot be merged, because one is not text, or is too long. */
export function mergeContents(
  { base, ours, theirs }: ThreeContents,
  labels: MergeLabels,
): LineMerge | undefined {
  const [old, own, other] = [base ?? new Uint8Array(), ours, theirs].map((bytes) =>
    toLines(Buffer.from(bytes)),
  );
  if (old === undefined || own === undefined || other === undefined) return undefined;
  return mergeLines({ base: old, ours: own, theirs: other }, labels);
}
