import type { Session } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';

/** Key in the session's metadata. */
const KEY = 'hooksBegun';

/**
 * Returns whether the hooks of the start of a session have not run yet, and stores that they have. It is stored before
 * they run: a killed process never makes them run twice.
 */
export async function beginsHooks(
  store: Store,
  { id, metadata }: Pick<Session, 'id' | 'metadata'>,
): Promise<boolean> {
  if (metadata?.[KEY] === true) return false;
  await store.updateSession(id, { metadata: { [KEY]: true } });
  return true;
}
