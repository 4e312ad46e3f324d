import { isObject } from './json.ts';
import type { Session } from './message.ts';

/** Where the git repository of a workspace was at the start of a session. Empty: it could not be read. */
export interface GitStart {
  /** Absent: none was checked out. */
  branch?: string;
  /** Id of the commit. `null`: the branch had no commit yet. Absent: it could not be read. */
  commit?: string | null;
}

/** Key in the session's metadata. A fork has it too. */
export const GIT_START_KEY = 'gitAtStart';

/**
 * Returns where the repository was at the start of a session. Undefined: there was none, or the session has not begun.
 */
export function gitAtStart({ metadata }: Pick<Session, 'metadata'>): GitStart | undefined {
  return parseGitStart(metadata?.[GIT_START_KEY]);
}

/** Reads the value of the metadata. A client can set it, so parts of another form count as unknown. */
export function parseGitStart(value: unknown): GitStart | undefined {
  if (!isObject(value)) return undefined;
  const { branch, commit } = value;
  const isCommit = commit === null || (typeof commit === 'string' && isCommitId(commit));
  return {
    ...(typeof branch === 'string' && isBranchName(branch) && { branch }),
    ...(isCommit && { commit }),
  };
}

export function isCommitId(text: string): boolean {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text);
}

const MAX_BRANCH_CHARS = 200;

/**
 * Returns whether a text can be the name of a branch, and so of a file below `refs/heads`. Longer names are refused.
 *
 * https://git-scm.com/docs/git-check-ref-format
 */
export function isBranchName(text: string): boolean {
  return (
    text.length <= MAX_BRANCH_CHARS &&
    /^[^\p{C}\s~^:?*[\\\ufffd]+$/u.test(text) &&
    !/\.\.|@\{|\.$/.test(text) &&
    text.split('/').every((name) => name !== '' && !name.startsWith('.') && !name.endsWith('.lock'))
  );
}
