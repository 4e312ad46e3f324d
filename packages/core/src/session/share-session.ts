import { accessMetadata, accessOf, LonghaulError, type Session, type Share } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';

/**
 * Sets what the tokens of others may do with a session and its children.
 *
 * @throws {LonghaulError} `session_not_found`; `invalid_request` for a child, which is shared with its parent.
 */
export async function shareSession(
  store: Pick<Store, 'updateSession'>,
  session: Session,
  shared: Share,
): Promise<Session> {
  if (session.parentId !== undefined)
    throw new LonghaulError(
      'invalid_request',
      `A child session is shared with its parent. Share the session ${session.parentId}.`,
    );
  const { owner } = accessOf(session);
  return await store.updateSession(session.id, { metadata: accessMetadata({ owner, shared }) });
}
