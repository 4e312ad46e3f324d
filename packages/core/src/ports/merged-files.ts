import type { FileChange } from '@longhaul/protocol';

/** Two states of files that come from one, to be joined. The values are references to trees. */
export interface MergeRequest {
  /** What both come from. */
  base: string;
  /** The state with the changes to take. */
  theirs: string;
  /** The state that takes them. */
  ours: string;
  /** `refuse`: with a conflict, nothing is merged. `markers`: everything else is, and texts in conflict get markers. */
  conflicts: 'refuse' | 'markers';
  /** What the lines of markers call the two sides. */
  labels: { ours: string; theirs: string };
}

/** The result of merging two recorded states. */
export interface MergedFiles {
  /** What the merge changes in `ours`, and the number of changed files that are not in `files`. */
  files: FileChange[];
  more?: number | undefined;
  /** The merged state. Equals `ours` if there is nothing to change. Undefined: refused. */
  tree: string | undefined;
  conflicts: MergeConflict[];
  /** Changes of `theirs` that cannot be taken, because a content is not recorded. */
  left: { path: string; reason: string }[];
}

/** A place at which both sides changed the same. */
export interface MergeConflict {
  /** In `ours`, or where `theirs` puts it. */
  path: string;
  reason: MergeConflictReason;
  /** A sentence about the reason. */
  message: string;
  /** For texts: the lines of `ours`, from 1. `count` 0: between the line before and this one. */
  lines?: { start: number; count: number }[];
}

/** Why a file cannot be merged. */
export type MergeConflictReason =
  /** Both changed the same lines. */
  | 'lines'
  /** Both changed a file that is not text, or has too many changed lines. */
  | 'content'
  /** Both added a different file. */
  | 'added'
  /** One changed it, the other deleted it. */
  | 'deleted-here'
  | 'deleted-there'
  /** Both renamed it, or one renamed it and the other deleted it. */
  | 'renamed'
  /** It is a file, a link or a folder for one, and something else for the other. */
  | 'kind'
  /** Both changed the permissions. */
  | 'mode'
  /** Its content in `ours` is not recorded. */
  | 'unrecorded';

/** `merged`: files were written. `refused`: there are conflicts, and nothing was written. */
export interface MergeOutcome extends Omit<MergedFiles, 'tree'> {
  status: 'merged' | 'unchanged' | 'refused';
  /** Files that could not be written, such as one that has changed since the merge began. */
  skipped: { path: string; reason: string }[];
}
