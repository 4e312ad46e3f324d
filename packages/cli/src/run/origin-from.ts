import { type Store, sessionOrigin } from '@longhaul/core';
import type { MessageOrigin, Session } from '@longhaul/protocol';
import { sessionByPrefix } from '../session/find-session.ts';

/**
 * Returns the origin of a message that the named session sends, or undefined if the user sends it.
 *
 * @throws {LonghaulError} `session_not_found`; `usage` for an ambiguous id; `invalid_request` for the receiver itself.
 */
export async function originFrom(
  store: Store,
  from: string | undefined,
  receiver: Session,
): Promise<MessageOrigin | undefined> {
  return from === undefined ? undefined : sessionOrigin(await sessionByPrefix(store, from), receiver);
}
