import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Runtime } from '@longhaul/core';
import { findHostProgram } from '@longhaul/core/host-programs';
import { LonghaulError, type Session } from '@longhaul/protocol';

const run = promisify(execFile);

/** No program that a repository names is run: neither hooks nor monitors, and nothing is checked out. */
const HARMLESS = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];

export interface ForkFolderOptions {
  runtime: Runtime;
  session: Session;
  /** The last message whose changes the files contain. Default: the last one. */
  at: number | undefined;
  folder: string;
  isWorktree: boolean;
}

/**
 * Writes the files of a session at a moment into a new or empty folder. With `isWorktree`, the folder becomes a worktree
 * of the session's repository on a new branch.
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
  const path = resolve(folder);
  if (isWorktree) await addWorktree(session.workspace, path);
  const { skipped } = await runtime.files.materialise(tree, path);
  return { path, skipped };
}

async function addWorktree(workspace: string, folder: string): Promise<void> {
  if (!existsSync(join(workspace, '.git')))
    throw new LonghaulError(
      'invalid_request',
      `${workspace} is not the top folder of a git repository. Leave out --worktree.`,
    );
  const branch = `longhaul/${basename(folder)}`;
  await git(workspace, ['worktree', 'add', '--no-checkout', '-b', branch, folder, 'HEAD']);
  await git(folder, ['read-tree', 'HEAD']);
}

async function git(folder: string, args: readonly string[]): Promise<void> {
  const program = findHostProgram('git');
  if (program === undefined)
    throw new LonghaulError('invalid_request', '--worktree needs git, which is not installed.');
  try {
    await run(program, ['-C', folder, ...HARMLESS, ...args]);
  } catch (error) {
    const reason = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    throw new LonghaulError('invalid_request', `git refused the worktree: ${reason}`);
  }
}
