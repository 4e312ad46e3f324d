import { currentClaimant, type Store, sessionState } from '@longhaul/core';

const MAX_LISTED = 1_000;

export type LeftStore = Pick<
  Store,
  'listUnfinishedRuns' | 'listQueuedSessions' | 'getSession' | 'leaseHolder' | 'listRuns'
>;

export interface LeftSessions {
  /** Sessions whose last run has no end, or was interrupted: last started first. */
  interrupted: string[];
  /** Other sessions with messages that no run has taken. */
  waiting: string[];
  /** Sessions that another process works on at the moment. It may leave them unfinished. */
  elsewhere: string[];
}

/**
 * What earlier processes have left. A child session whose parent is listed is left out, because a run of the parent
 * continues it. A session that was cancelled is left out, even if messages wait in it: a person has stopped it.
 */
export async function leftSessions(store: LeftStore): Promise<LeftSessions> {
  const runs = await store.listUnfinishedRuns({ limit: MAX_LISTED });
  const unfinished = new Set(runs.map(({ sessionId }) => sessionId));
  const queued = new Set(await store.listQueuedSessions({ limit: MAX_LISTED }));
  const ids = new Set([...unfinished, ...queued]);
  const left: LeftSessions = { interrupted: [], waiting: [], elsewhere: [] };
  for (const id of ids) {
    const session = await store.getSession(id);
    if (session?.parentId !== undefined && ids.has(session.parentId)) continue;
    if ((await store.leaseHolder(id, currentClaimant())) !== undefined) left.elsewhere.push(id);
    else if (session === undefined) continue;
    else if (unfinished.has(id) && (await sessionState(store, session)) === 'interrupted')
      left.interrupted.push(id);
    else if (queued.has(id) && session.status !== 'cancelled') left.waiting.push(id);
  }
  return left;
}

/** Whether a run may continue an idle session without being asked. */
export async function mayContinue(
  store: LeftStore & Pick<Store, 'listQueue'>,
  sessionId: string,
): Promise<boolean> {
  const session = await store.getSession(sessionId);
  if (session === undefined) return false;
  if ((await sessionState(store, session)) === 'interrupted') return true;
  return session.status !== 'cancelled' && (await store.listQueue(sessionId)).length > 0;
}
