import { LonghaulError, type Session } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';

/** @throws {LonghaulError} `session_not_found` */
export async function existingSession(store: Store, sessionId: string): Promise<Session> {
  const session = await store.getSession(sessionId);
  if (session !== undefined) return session;
  throw new LonghaulError(
    'session_not_found',
    `There is no session ${sessionId}. \`longhaul sessions\` lists the sessions.`,
  );
}

/**
 * Adds a hint to `session_busy` for a caller that wanted something else than to send a message. Returns other errors
 * unchanged.
 */
export function busyWith(error: unknown, what: string): unknown {
  return withBusyHint(error, `Wait until that run has ended, or cancel it; then ${what}.`);
}

/** Returns undefined for `session_busy`, for a caller whose message the other run takes. @throws other errors. */
export function ifBusy(error: unknown): undefined {
  if (error instanceof LonghaulError && error.code === 'session_busy') return undefined;
  throw error;
}

function withBusyHint(error: unknown, hint: string): unknown {
  if (!(error instanceof LonghaulError) || error.code !== 'session_busy') return error;
  const { pid, host } = error.data;
  const message = `The session is in use (process ${pid} on ${host}). ${hint}`;
  return new LonghaulError('session_busy', message, { data: error.data });
}
