import { childPlaceOf, LonghaulError, parseHandle, type Session } from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';
import { currentClaimant } from '../leases/lease-owner.ts';
import { descendantIds } from './family-tree.ts';

type Read = Pick<Store, 'leaseHolder' | 'listSessions' | 'readMessages'>;

/**
 * Checks that a session can be deleted, together with the sessions that it has started.
 *
 * @returns The ids of all of them.
 * @throws {LonghaulError} `session_busy` if a process works on one of them, or if the parent of this one needs its result.
 */
export async function assertDeletable(store: Read, session: Session): Promise<string[]> {
  const family = [...(await descendantIds(store, session.id))];
  for (const id of family) {
    if (!(await isHeld(store, id))) continue;
    const what = id === session.id ? 'The session' : `The child session ${id}`;
    throw new LonghaulError(
      'session_busy',
      `${what} has an active run or another operation in progress. Cancel the run, then delete the session.`,
    );
  }
  if (session.parentId !== undefined && (await isNeeded(store, session, session.parentId))) {
    throw new LonghaulError(
      'session_busy',
      `The session ${session.parentId} waits for the result of this child. Cancel that session first, or delete it: this also deletes its children.`,
    );
  }
  return family;
}

/** Whether a call of the parent has no result yet, or a running parent expects that of a child in the background. */
async function isNeeded(store: Read, child: Session, parentId: string): Promise<boolean> {
  const place = childPlaceOf(child);
  if (place === undefined) return false;
  if (place.isBackground) return !place.isDelivered && (await isHeld(store, parentId));
  const { sequence = 0, partIndex = 0 } = parseHandle(place.handle) ?? {};
  const page = { after: sequence - 1, limit: 1, skipReverted: true };
  const { messages } = await store.readMessages(parentId, page);
  const message = messages.find((each) => each.sequence === sequence);
  const part = message?.parts[partIndex];
  return part?.type === 'tool' && (part.state === 'pending' || part.state === 'running');
}

async function isHeld(store: Read, sessionId: string): Promise<boolean> {
  return (await store.leaseHolder(sessionId, currentClaimant())) !== undefined;
}
