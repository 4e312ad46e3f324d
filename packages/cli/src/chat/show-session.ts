import { listMessages, type Store } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import type { Front } from './front.ts';
import { openedText, SHOWN_MESSAGES } from './history.ts';

/**
 * Prints the end of a session from its store, before the server of the chat is loaded.
 *
 * @returns The number of the last event before. What happens after it is shown by the events.
 */
export async function showSession(
  session: Session,
  { store, front }: { store: Store; front: Front },
): Promise<number> {
  const lastEvent = await store.lastEventNumber(session.id);
  const page = await listMessages(store, session.id, { limit: SHOWN_MESSAGES });
  front.surface.print(openedText(session, page, front));
  return lastEvent;
}
