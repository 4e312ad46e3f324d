import { LonghaulError, type Session } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';

/** @throws {LonghaulError} `session_not_found` */
export async function existingSession(store: Store, sessionId: string): Promise<Session> {
  const session = await store.getSession(sessionId);
  if (session !== undefined) return session;
  throw new LonghaulError(
    'session_not_found',
    `There is no session ${sessionId}. \`longhaul sessions\` lists them.`,
  );
}
