import type { GitStart } from '@longhaul/protocol';

const SHOWN_CHARS = 12;

/** Describes where the repository of a workspace was at the start of a session. */
export function gitStartText({ branch, commit }: GitStart): string {
  const id = commit?.slice(0, SHOWN_CHARS);
  if (branch === undefined) return id === undefined ? 'unknown branch and commit' : `${id}, no branch`;
  if (id !== undefined) return `${branch} at ${id}`;
  return commit === null ? `${branch}, no commit yet` : `${branch}, unknown commit`;
}
