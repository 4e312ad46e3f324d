import type { Store } from '../ports/index.ts';

/**
 * Exports all stored data of a session in the format `longhaul-session`.
 *
 * @throws {LonghaulError} `session_not_found`
 */
export async function exportSession(store: Store, sessionId: string) {
  const { session, messages, marks, damaged } = await store.loadLog(sessionId);
  const [events, queue, runs] = await Promise.all([
    store.readEvents(sessionId),
    store.listQueue(sessionId),
    store.listRuns(sessionId),
  ]);
  return {
    format: 'longhaul-session',
    version: 1,
    session,
    messages,
    marks,
    queue,
    runs,
    events,
    damaged,
  } as const;
}
