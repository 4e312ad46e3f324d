import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Store } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';

/** The folders that count as one workspace: a git repository, or a single folder outside of any. */
export interface WorkspaceScope {
  root: string;
  isRepository: boolean;
}

/**
 * Returns the workspace that a folder belongs to. A repository in the home folder itself, such as one of dotfiles, does
 * not count.
 */
export async function scopeOf(folder: string, home: string): Promise<WorkspaceScope> {
  for (let root = folder; ; root = dirname(root)) {
    if (root !== home && (await exists(join(root, '.git')))) return { root, isRepository: true };
    if (root === home || dirname(root) === root) return { root: folder, isRepository: false };
  }
}

/** Whether a session works in this workspace. */
export async function isOfScope(
  { workspace }: Pick<Session, 'workspace'>,
  scope: WorkspaceScope,
  home: string,
): Promise<boolean> {
  return (await scopeOf(workspace, home)).root === scope.root;
}

const PAGE = 100;

export interface SessionsWanted {
  /** Undefined: sessions of every folder. */
  scope: WorkspaceScope | undefined;
  home: string;
  /** Also those that another session has started. */
  withChildren: boolean;
  page?: number;
}

/** Yields sessions, newest first. */
export async function* sessionsOf(
  store: Store,
  { scope, home, withChildren, page = PAGE }: SessionsWanted,
): AsyncGenerator<Session> {
  const parentId = withChildren ? undefined : null;
  const workspace = scope && { folder: scope.root, below: scope.isRepository };
  for (let before: string | undefined; ; ) {
    const sessions = await store.listSessions({ limit: page, before, workspace, parentId });
    for (const session of sessions) {
      // A repository inside this one is another workspace.
      if (scope === undefined || (await isOfScope(session, scope, home))) yield session;
    }
    before = sessions.at(-1)?.id;
    if (before === undefined || sessions.length < page) return;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
