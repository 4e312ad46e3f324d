import type { ChangedFiles } from '../../ports/file-trees.ts';

/** What goes back, and how far. */
export interface RevertOptions {
  /** What goes back. Default: both. */
  only?: 'files' | 'conversation' | undefined;
  /** The message stays: the conversation continues after it, on its branch, with the files as they were then. */
  after?: boolean | undefined;
  /** Returns what a revert would do, and changes nothing. A run of the session continues. */
  preview?: boolean | undefined;
  /** Also restores files that others have changed. */
  force?: boolean | undefined;
  /** Leaves files that others have changed as they are, and restores the rest. Not with `force`. */
  keep?: boolean | undefined;
}

/** What a revert changed, or what blocked it. */
export interface RevertResult extends ChangedFiles {
  /**
   * `blocked`: others have changed files that would be restored (`conflicts`). Nothing was done.
   * `unchanged`: everything is so already, and no revert was recorded.
   */
  status: 'reverted' | 'unchanged' | 'preview' | 'blocked';
  /**
   * Handle of the message before which the session now is, or after which with `after`. For `unrevert`, of the message
   * that the revert named.
   */
  handle: string;
  /** Whether the conversation goes back. */
  conversation: boolean;
  /** Messages that are hidden now and were not before. */
  hides: number;
  /** Files that were left as they are, with the reason. */
  skipped: { path: string; reason: string }[];
  /** Files that would be restored and that others have changed since. With `keep`, they are left as they are. */
  conflicts: string[];
  /** Files were to be restored, but none were recorded before the message. */
  withoutFiles?: true;
  /** Tree of the present files. Only in a preview that compares files, as is `after`. */
  before?: string;
  /** Tree to which the files go back. */
  after?: string;
}
