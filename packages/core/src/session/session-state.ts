import type { Session, SessionStatus } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';
import { isHoldId } from './ids.ts';
import { currentClaimant } from './leases/lease-owner.ts';

/**
 * The state of a session. `running`: a living process holds it. `interrupted`: its process died. Otherwise its stored
 * status.
 */
export type SessionState = SessionStatus | 'running' | 'interrupted';

/**
 * Returns the state from the lease and the stored status. The stored status alone is not enough: it changes only when a
 * run ends.
 */
export async function sessionState(
  store: Pick<Store, 'leaseHolder' | 'listRuns'>,
  session: Pick<Session, 'id' | 'status'>,
): Promise<SessionState> {
  const holder = await store.leaseHolder(session.id);
  if (holder !== undefined) {
    const living = await store.leaseHolder(session.id, currentClaimant());
    if (living !== undefined) return 'running';
    // Work between runs that was killed has interrupted no run.
    if (!isHoldId(holder.runId)) return 'interrupted';
  }
  if (session.status !== 'active') return session.status;
  const runs = await store.listRuns(session.id);
  // A run whose messages were removed before it took them ends as completed, and has changed nothing.
  return runs.some(({ status }) => status !== 'completed') ? 'interrupted' : 'active';
}
