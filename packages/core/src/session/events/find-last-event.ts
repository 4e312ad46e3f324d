import type { LonghaulEvent } from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';

/** The wanted event is usually one of the last step. */
const FIRST_PAGE = 50;
/** Most events to read at once. Events contain tool outputs, so they can be large. */
const MAX_PAGE = 800;

/**
 * Returns the newest event of a session for which `isWanted` is true. Searches from the end in pages that double in
 * size.
 */
export async function findLastEvent<Wanted extends LonghaulEvent>(
  store: Store,
  sessionId: string,
  isWanted: (event: LonghaulEvent) => event is Wanted,
): Promise<Wanted | undefined> {
  const last = await store.lastEventNumber(sessionId);
  for (let end = last, size = FIRST_PAGE; end > 0; end -= size, size = Math.min(size * 2, MAX_PAGE)) {
    const after = Math.max(0, end - size);
    const events = await store.readEvents(sessionId, { after, limit: end - after });
    const found = events.findLast(isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}
