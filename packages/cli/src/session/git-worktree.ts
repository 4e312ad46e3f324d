import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { findHostProgram } from '@longhaul/core/host-programs';
import { type GitStart, gitAtStart, LonghaulError, type Session } from '@longhaul/protocol';

const run = promisify(execFile);

/** No program that a repository names is run: neither hooks, monitors nor transports, and nothing is checked out. */
const HARMLESS = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'protocol.allow=never'];
const OPTIONS = HARMLESS.flatMap((setting) => ['-c', setting]);

export interface GitWorktree {
  git: GitStart;
  /** Whether it starts at the commit of the session's start. If that is not known, it starts at the current one. */
  isFromStart: boolean;
  /** Removes the folder and the branch. */
  remove(): Promise<void>;
}

/**
 * Makes a folder a worktree of a session's repository, on a new branch that is named after the folder. Writes no file
 * but git's own.
 *
 * @throws {LonghaulError} `invalid_request` if there is no repository, the commit is missing, or git refuses.
 */
export async function addGitWorktree(session: Session, folder: string): Promise<GitWorktree> {
  const { workspace } = session;
  if (!existsSync(join(workspace, '.git')))
    throw new LonghaulError(
      'invalid_request',
      `${workspace} is not the top folder of a git repository. Leave out --worktree.`,
    );
  const begun = gitAtStart(session)?.commit ?? undefined;
  const commit = begun === undefined ? await currentCommit(workspace) : await existing(workspace, begun);
  const branch = `longhaul/${basename(folder)}`;
  await git(workspace, ['worktree', 'add', '--no-checkout', '-b', branch, folder, commit]);
  await git(folder, ['read-tree', 'HEAD']);
  return {
    git: { branch, commit },
    isFromStart: begun !== undefined,
    async remove() {
      await git(workspace, ['worktree', 'remove', '--force', folder]);
      await git(workspace, ['branch', '-D', branch]);
    },
  };
}

async function existing(workspace: string, commit: string): Promise<string> {
  if (await succeeds(workspace, ['cat-file', '-e', `${commit}^{commit}`])) return commit;
  throw new LonghaulError(
    'invalid_request',
    `The session began at commit ${commit.slice(0, 12)}, which is not in the repository of ${workspace}. Fetch the commit, or leave out --worktree to get the files without git.`,
  );
}

async function currentCommit(workspace: string): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
  if (await succeeds(workspace, args)) return (await git(workspace, args)).trim();
  throw new LonghaulError(
    'invalid_request',
    `The repository of ${workspace} has no commit yet, so it can have no worktree. Leave out --worktree to get the files without git.`,
  );
}

/** @throws {LonghaulError} `invalid_request` if git does not start. */
async function succeeds(folder: string, args: readonly string[]): Promise<boolean> {
  const { failure } = await attempt(folder, args);
  return failure === undefined;
}

async function git(folder: string, args: readonly string[]): Promise<string> {
  const { failure, output } = await attempt(folder, args);
  if (failure === undefined) return output;
  throw new LonghaulError('invalid_request', `git refused the worktree: ${failure}`);
}

async function attempt(
  folder: string,
  args: readonly string[],
): Promise<{ output: string; failure?: string }> {
  const program = findHostProgram('git');
  if (program === undefined)
    throw new LonghaulError('invalid_request', '--worktree needs git, which is not installed.');
  try {
    const { stdout } = await run(program, ['-C', folder, ...OPTIONS, ...args], { env: ownEnvironment() });
    return { output: stdout };
  } catch (error) {
    const failure =
      error instanceof Error && 'stderr' in error ? withoutProgress(String(error.stderr)) : String(error);
    return { output: '', failure };
  }
}

/** Git says what it begins to do before it says what is wrong. */
function withoutProgress(text: string): string {
  return text.replace(/^Preparing worktree .*\n/, '').trim();
}

/** Variables such as GIT_DIR would name another repository, and a missing object must not be fetched. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(kept), GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0' };
}
