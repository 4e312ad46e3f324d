import type { DamagedRow, Store } from '../ports/index.ts';

/**
 * Exports all stored data of a session in the format `longhaul-session`.
 *
 * @throws {LonghaulError} `session_not_found`
 */
export async function exportSession(store: Store, sessionId: string) {
  const { session, messages, marks, damaged } = await store.loadLog(sessionId);
  const [events, queue, runs, found] = await Promise.all([
    store.readEvents(sessionId),
    store.listQueue(sessionId),
    store.listRuns(sessionId),
    store.findDamage(sessionId),
  ]);
  const known = new Set(damaged.map(keyOf));
  return {
    format: 'longhaul-session',
    version: 1,
    session,
    messages,
    marks,
    queue,
    runs,
    events,
    /** Everything that is lost or changed. The export contains the rest. */
    damaged: [...damaged, ...found.filter((row) => !known.has(keyOf(row)))],
  } as const;
}

function keyOf({ table, id }: DamagedRow): string {
  return `${table}/${id}`;
}
