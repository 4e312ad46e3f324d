import type { LonghaulEvent } from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';

/** Mostly it is one of the last step's. */
const FIRST_WINDOW = 50;
/** Events hold what tools returned: no more of them than this at once. */
const MAX_WINDOW = 800;

/** The newest event of a session that is wanted: looked for from the end, in windows that double. */
export async function findLastEvent<Wanted extends LonghaulEvent>(
  store: Store,
  sessionId: string,
  isWanted: (event: LonghaulEvent) => event is Wanted,
): Promise<Wanted | undefined> {
  const last = await store.lastEventNumber(sessionId);
  for (let end = last, size = FIRST_WINDOW; end > 0; end -= size, size = Math.min(size * 2, MAX_WINDOW)) {
    const after = Math.max(0, end - size);
    const events = await store.readEvents(sessionId, { after, limit: end - after });
    const found = events.findLast(isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}
