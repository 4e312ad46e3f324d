import { stat } from 'node:fs/promises';
import { LonghaulError, type Session } from '@longhaul/protocol';

/**
 * Checks that the folder of a session still exists, before anything is started in it.
 *
 * @throws {LonghaulError} `usage`, with the folder and what to do.
 */
export async function requireFolder({ id, workspace }: Pick<Session, 'id' | 'workspace'>): Promise<void> {
  const info = await stat(workspace).catch(() => undefined);
  if (info?.isDirectory() === true) return;
  const what = info === undefined ? 'does not exist any more' : 'is not a folder any more';
  throw new LonghaulError(
    'usage',
    `Session ${id} works in ${workspace}, which ${what}. Restore the folder, or create an empty one. To continue in another folder, run ` +
      `longhaul export ${id} > session.json, then longhaul import session.json there. longhaul show ${id} still prints the session.`,
    { data: { sessionId: id, workspace } },
  );
}
