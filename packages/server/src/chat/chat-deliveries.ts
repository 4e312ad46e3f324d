import type { Store } from '@longhaul/core';
import type { LonghaulEvent } from '@longhaul/protocol';

const FIRST_WINDOW = 500;

/** The newest event of a session that is wanted: looked for from the end, in windows that double. */
export async function findLastEvent<Wanted extends LonghaulEvent>(
  store: Store,
  sessionId: string,
  isWanted: (event: LonghaulEvent) => event is Wanted,
): Promise<Wanted | undefined> {
  const last = await store.lastEventNumber(sessionId);
  for (let end = last, size = FIRST_WINDOW; end > 0; end -= size, size *= 2) {
    const after = Math.max(0, end - size);
    const events = await store.readEvents(sessionId, { after, limit: end - after });
    const found = events.findLast(isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}
