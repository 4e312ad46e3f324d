import type { Restored } from '../../ports/file-trees.ts';
import type { MergedFiles } from '../../ports/merged-files.ts';

/** `merged`: files were written. `refused`: there are conflicts, and nothing was written. */
export interface MergeOutcome extends Omit<MergedFiles, 'tree'> {
  status: 'merged' | 'unchanged' | 'refused';
  /** Files that could not be written, such as one that has changed since the merge began. */
  skipped: Restored['skipped'];
}
