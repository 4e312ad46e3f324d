import { isOwnerAlive, type Store } from '@longhaul/core';
import type { Session, SessionStatus } from '@longhaul/protocol';

/** How a session stands now. `running`: somebody works on it; `interrupted`: whoever did is dead. Else how its last run ended. */
export type SessionState = SessionStatus | 'running' | 'interrupted';

/** The stored status changes only when a run ends: a run that is under way, or died, is known by its lease. */
export async function sessionState(store: Store, session: Session): Promise<SessionState> {
  const holder = await store.leaseHolder(session.id);
  if (holder !== undefined) {
    return holder.expiresAt > Date.now() && isOwnerAlive(holder.owner) ? 'running' : 'interrupted';
  }
  if (session.status !== 'active') return session.status;
  const hasRun = (await store.listRuns(session.id)).length > 0;
  return hasRun ? 'interrupted' : 'active';
}
