import { LonghaulError } from '@longhaul/protocol';
import type { FileRecorder } from '../../ports/file-trees.ts';

/** Files that a message names. */
const MAX_NAMED = 5;

export interface FailedMove {
  trees: { treeBefore: string; treeAfter: string };
  what: 'revert' | 'merge';
  /** Opens a recorder whose last tree is the given one. */
  open: (tree: string) => Promise<FileRecorder>;
  /** Stores that the move is no longer pending. */
  forget: () => Promise<void>;
  error: unknown;
}

/**
 * Restores the files as they were before a revert or a merge that failed, such as on a full disk. If that fails too, it
 * stays pending, and is completed later.
 *
 * @returns The error, with what became of the files.
 */
export async function undoFailedMove({ trees, what, open, forget, error }: FailedMove): Promise<unknown> {
  try {
    // An entry is changed only if it is as in the recorder's last tree.
    await using recorder = await open(trees.treeAfter);
    const { skipped } = await recorder.restore(trees.treeBefore);
    await forget();
    const left = skipped.slice(0, MAX_NAMED).map(({ path }) => JSON.stringify(path));
    const more = skipped.length > MAX_NAMED ? ' and others' : '';
    const except = left.length === 0 ? '' : `, except ${left.join(', ')}${more}`;
    return withNote(error, `The files are as they were before the ${what}${except}.`, error);
  } catch (second) {
    return withNote(
      error,
      `The ${what} is not finished: the next ${what === 'merge' ? 'merge of these files' : 'use of the session'} completes it.`,
      new AggregateError([error, second]),
    );
  }
}

function withNote(error: unknown, note: string, cause: unknown): unknown {
  if (!(error instanceof LonghaulError)) return error;
  return new LonghaulError(error.code, `${error.message} ${note}`, { cause, data: error.data });
}
