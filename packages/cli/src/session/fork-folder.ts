import { resolve } from 'node:path';
import type { Runtime } from '@longhaul/core';
import { LonghaulError, type Session } from '@longhaul/protocol';
import { addGitWorktree } from './git-worktree.ts';

export interface ForkFolderOptions {
  runtime: Runtime;
  session: Session;
  /** The last message whose changes the files contain. Default: the last one. */
  at: number | undefined;
  folder: string;
  isWorktree: boolean;
}

/**
 * Writes the files of a session at a moment into a new or empty folder. With `isWorktree`, the folder becomes a
 * worktree of the session's repository, on a new branch from the commit at which the session began.
 *
 * @returns The folder, and the files that are not in it because their contents are not recorded.
 * @throws {LonghaulError} `invalid_request` if nothing is recorded, the folder has files, or git refuses.
 */
export async function makeForkFolder({ runtime, session, at, folder, isWorktree }: ForkFolderOptions) {
  const tree = await runtime.files.treeAfter(session.id, at);
  if (tree === undefined)
    throw new LonghaulError(
      'invalid_request',
      'No files were recorded in this session. Without --files, the copy works in the same folder.',
    );
  const workspace = resolve(folder);
  const worktree = isWorktree ? await addGitWorktree(session, workspace) : undefined;
  try {
    const { skipped } = await runtime.files.materialise(tree, workspace);
    return { workspace, worktree, skipped };
  } catch (error) {
    // Another attempt needs the names of the folder and the branch.
    await worktree?.remove();
    throw error;
  }
}
