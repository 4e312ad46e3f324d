import { LonghaulError } from '@longhaul/protocol';
import type { FileRecorder } from '../../ports/file-trees.ts';
import type { Store } from '../../ports/index.ts';
import { type PendingRevert, savePendingRevert } from './pending-revert.ts';

/** Files that a message names. */
const MAX_NAMED = 5;

export interface FailedRevert {
  store: Store;
  sessionId: string;
  pending: PendingRevert;
  /** Opens a recorder whose last tree is the given one. */
  open: (tree: string) => Promise<FileRecorder>;
  error: unknown;
}

/**
 * Restores the files as they were before a revert that failed, such as on a full disk. If that fails too, the revert
 * stays pending: the next use of the session completes it.
 *
 * @returns The error, with what became of the files.
 */
export async function undoFailedRevert(failed: FailedRevert): Promise<unknown> {
  const { store, sessionId, pending, error } = failed;
  try {
    // An entry is changed only if it is as in the recorder's last tree.
    await using recorder = await failed.open(pending.treeAfter);
    const { skipped } = await recorder.restore(pending.treeBefore);
    await savePendingRevert(store, sessionId, undefined);
    const left = skipped.slice(0, MAX_NAMED).map(({ path }) => JSON.stringify(path));
    const more = skipped.length > MAX_NAMED ? ' and others' : '';
    const except = left.length === 0 ? '' : `, except ${left.join(', ')}${more}`;
    return withNote(error, `The files are as they were before the revert${except}.`, error);
  } catch (second) {
    return withNote(
      error,
      'The revert is not finished: the next use of the session completes it.',
      new AggregateError([error, second]),
    );
  }
}

function withNote(error: unknown, note: string, cause: unknown): unknown {
  if (!(error instanceof LonghaulError)) return error;
  return new LonghaulError(error.code, `${error.message} ${note}`, { cause, data: error.data });
}
