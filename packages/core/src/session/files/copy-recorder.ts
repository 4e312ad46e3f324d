import { LonghaulError } from '@longhaul/protocol';
import type { FileTrees, Restored } from '../../ports/file-trees.ts';

/** Records and restores a workspace without storing anything in a session. */
export interface CopyRecorder extends AsyncDisposable {
  /** Records the present files. Returns their tree. */
  present(): Promise<string>;
  /** As `FileRecorder.restore`. */
  restore(tree: string, except?: ReadonlySet<string>): Promise<Restored>;
}

/** @param tree The state that was recorded last. */
export async function openCopyRecorder(
  trees: FileTrees,
  workspace: string,
  tree: string | undefined,
): Promise<CopyRecorder> {
  const recorder = await trees.openRecorder(workspace, tree);
  let last = tree;
  return {
    async present() {
      last = (await recorder.record())?.after ?? last;
      if (last !== undefined) return last;
      throw new LonghaulError('internal', 'The recorder has no tree of a workspace without records.');
    },
    restore: (target, except) => recorder.restore(target, { except: except ?? new Set() }),
    [Symbol.asyncDispose]: () => recorder[Symbol.asyncDispose](),
  };
}
