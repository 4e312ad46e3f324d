import { realpath, stat } from 'node:fs/promises';
import { LonghaulError, type Session, workspaceSourceOf } from '@longhaul/protocol';

/**
 * Checks that the folder of a session still exists, and is not a link to another one, before anything is started in it.
 *
 * @throws {LonghaulError} `usage`, with the folder and what to do.
 */
export async function requireFolder({ id, workspace }: Pick<Session, 'id' | 'workspace'>): Promise<void> {
  const info = await stat(workspace).catch(() => undefined);
  if (info?.isDirectory() === true) return requireUnlinked(id, workspace);
  const what = info === undefined ? 'no longer exists' : 'is no longer a folder';
  throw new LonghaulError(
    'usage',
    `Session ${id} works in ${workspace}, which ${what}. Restore the folder, or create an empty one. To continue in another folder, run ` +
      `longhaul export ${id} > session.json, then longhaul import session.json there. longhaul show ${id} still prints the session.`,
    { data: { sessionId: id, workspace, isGone: true } },
  );
}

/** Like `requireFolder`, for a session whose run has not begun: the folder of one that moves is made then. */
export async function requireFolderOrSource(session: Session): Promise<void> {
  if (workspaceSourceOf(session) === undefined) await requireFolder(session);
}

/** The path was stored without links. An agent that works in the folder above may have put one there since. */
async function requireUnlinked(id: string, workspace: string): Promise<void> {
  const real = await realpath(workspace);
  if (real === workspace) return;
  throw new LonghaulError(
    'usage',
    `Session ${id} works in ${workspace}, which now leads to ${real} through a link. Put the folder back. To work in ${real}, start a new session there.`,
    { data: { sessionId: id, workspace, real } },
  );
}
