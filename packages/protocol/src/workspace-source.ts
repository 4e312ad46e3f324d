import { isObject, type JsonObject } from './json.ts';
import type { Session } from './message.ts';

/**
 * Key in the session's metadata: where the files come from, if the session has a folder of its own, which any machine
 * can make. Only the server and the terminal set it.
 */
export const WORKSPACE_SOURCE_KEY = 'workspaceSource';

export interface GitSource {
  url: string;
  /** A branch, a tag or a commit. Default: the repository's own. */
  ref?: string | undefined;
}

/** Where the files of a session come from that moves between machines. */
export interface WorkspaceSource {
  /** The repository that is cloned. Absent: none. */
  git?: GitSource | undefined;
  /** The state with which the session begins. Absent: that of the repository, or else no files. */
  tree?: string | undefined;
  /** The machine that has the newest folder. Absent: none has one. */
  machine?: string | undefined;
}

/** Returns undefined if the workspace is a folder of one machine. */
export function workspaceSourceOf({ metadata }: Pick<Session, 'metadata'>): WorkspaceSource | undefined {
  const stored = metadata?.[WORKSPACE_SOURCE_KEY];
  if (!isObject(stored)) return undefined;
  const { git, tree, machine } = stored;
  return {
    ...(isObject(git) && typeof git['url'] === 'string' && { git: gitOf(git['url'], git['ref']) }),
    ...(typeof tree === 'string' && { tree }),
    ...(typeof machine === 'string' && { machine }),
  };
}

/** Returns the metadata that stores where the files come from. */
export function workspaceSourceMetadata({ git, tree, machine }: WorkspaceSource): JsonObject {
  return {
    [WORKSPACE_SOURCE_KEY]: {
      ...(git !== undefined && { git: { ...gitOf(git.url, git.ref) } }),
      ...(tree !== undefined && { tree }),
      ...(machine !== undefined && { machine }),
    },
  };
}

function gitOf(url: string, ref: unknown): { url: string; ref?: string } {
  return { url, ...(typeof ref === 'string' && { ref }) };
}
