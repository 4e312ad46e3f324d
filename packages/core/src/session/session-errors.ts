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

/** The store's refusal, in words for someone who did not want to send a message. Other errors stay as they are. */
export function busyWith(error: unknown, what: string): unknown {
  return withBusyHint(error, `Wait until that run has ended, or stop it; then ${what}.`);
}

/** The same for someone whose message was queued before: to a session that is worked on, it is not lost. */
export function busyAfterSend(error: unknown): unknown {
  return withBusyHint(error, 'Your message waits in its queue, and is delivered at its next step.');
}

function withBusyHint(error: unknown, hint: string): unknown {
  if (!(error instanceof LonghaulError) || error.code !== 'session_busy') return error;
  const { pid, host } = error.data;
  const message = `The session is being worked on (process ${pid} on ${host}). ${hint}`;
  return new LonghaulError('session_busy', message, { data: error.data });
}
