import type { Session, SessionStatus } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';
import { currentClaimant } from './leases/lease-owner.ts';

/** How a session stands now. `running`: somebody works on it; `interrupted`: whoever did is dead. Else how its last run ended. */
export type SessionState = SessionStatus | 'running' | 'interrupted';

/** The stored status changes only when a run ends: a run that is under way, or died, is known by its lease. */
export async function sessionState(
  store: Store,
  session: Pick<Session, 'id' | 'status'>,
): Promise<SessionState> {
  const holder = await store.leaseHolder(session.id);
  if (holder !== undefined) {
    const living = await store.leaseHolder(session.id, currentClaimant());
    return living === undefined ? 'interrupted' : 'running';
  }
  if (session.status !== 'active') return session.status;
  const hasRun = (await store.listRuns(session.id)).length > 0;
  return hasRun ? 'interrupted' : 'active';
}
