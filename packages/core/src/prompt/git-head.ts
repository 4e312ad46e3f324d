import { isBranchName, isCommitId } from '@longhaul/protocol';
import type { GitFile, ReadGitFile } from './git-folder.ts';

/** What is checked out: a branch, or a commit without one. */
export type GitHead = { branch: string } | { commit: string };

const MAX_REF_BYTES = 1_024;
const REF = 'ref: refs/heads/';

/**
 * Reads what is checked out. Undefined: there is no repository. `unknown`: the file HEAD has another form, as in a
 * repository that stores its branches in tables ("reftable").
 */
export async function readGitHead(read: ReadGitFile): Promise<GitHead | 'unknown' | undefined> {
  return toHead(await read('HEAD', MAX_REF_BYTES));
}

/** Reads a branch in its own file. Undefined: it has none. */
export async function readLooseBranch(
  read: ReadGitFile,
  branch: string,
): Promise<GitHead | 'unknown' | undefined> {
  return toHead(await read(`refs/heads/${branch}`, MAX_REF_BYTES));
}

function toHead(file: GitFile): GitHead | 'unknown' | undefined {
  if (file === undefined) return undefined;
  const text = file === 'unreadable' ? '' : new TextDecoder().decode(file).trim();
  if (isCommitId(text)) return { commit: text };
  const branch = text.startsWith(REF) ? text.slice(REF.length) : '';
  return isBranchName(branch) ? { branch } : 'unknown';
}
