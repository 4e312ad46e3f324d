import { childPlaceOf, parseHandle, type Session } from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';
import { childrenOf } from './family-tree.ts';

type Sessions = Pick<Store, 'listSessions' | 'getSession' | 'readMessages'>;

/**
 * Returns the children in the background whose result the parent does not have, oldest first. A child whose call was
 * reverted is left out: nobody waits for it.
 */
export async function undeliveredChildren(store: Sessions, parentId: string): Promise<Session[]> {
  const found: Session[] = [];
  for (const child of await childrenOf(store, parentId)) {
    const place = childPlaceOf(child);
    if (place?.isBackground !== true || place.isDelivered) continue;
    if (await isLive(store, parentId, place.handle)) found.push(child);
  }
  return found;
}

async function isLive(store: Sessions, sessionId: string, handle: string): Promise<boolean> {
  const sequence = parseHandle(handle)?.sequence ?? 0;
  const page = { after: sequence - 1, limit: 1, skipReverted: true, skipParts: true };
  const { messages } = await store.readMessages(sessionId, page);
  return messages[0]?.sequence === sequence;
}
