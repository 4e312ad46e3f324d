import type { LeaseHolder, Store } from '../../ports/index.ts';
import { currentClaimant, isOwnerAlive } from '../leases/lease-owner.ts';
import { nextChange } from '../leases/next-change.ts';
import type { RunRegistry } from './run-registry.ts';

export interface CancelResult {
  /** A run, or work between runs, was active and has ended. False if the session was idle or its process was dead. */
  wasRunning: boolean;
  /** Number of queued messages that `clearQueue` removed. */
  clearedMessages: number;
}

export interface CancelOptions {
  store: Store;
  registry: RunRegistry;
  clearQueue: boolean;
  /** Stores the end of a dead process's run. */
  settle: () => Promise<void>;
}

/** Interval of checks in addition to those after changes. An owner can die without a change in the store. */
const CHECK_INTERVAL_MS = 500;

/** Cancels the run or the work that holds the session, in any process. Resolves when its work has stopped. */
export async function cancelSession(
  sessionId: string,
  { store, registry, clearQueue, settle }: CancelOptions,
): Promise<CancelResult> {
  const request = { ...currentClaimant(), clearQueue };
  const { holder, clearedMessages } = await store.requestCancel(sessionId, request);
  if (holder === undefined) {
    await settle();
    return { wasRunning: false, clearedMessages };
  }
  const local = registry.find(holder.runId);
  if (local === undefined) {
    await waitForEnd(store, sessionId, holder);
    await settle();
  } else {
    local.cancel();
    await local.ended;
  }
  return { wasRunning: true, clearedMessages };
}

/** Waits until the run has answered the cancel request, its owner is dead, or its lease has expired. */
async function waitForEnd(store: Store, sessionId: string, { runId, owner }: LeaseHolder): Promise<void> {
  for (;;) {
    using change = nextChange(store, CHECK_INTERVAL_MS);
    if (!(await store.hasCancelRequest(runId)) || !isOwnerAlive(owner)) return;
    const current = await store.leaseHolder(sessionId);
    const isExpired =
      current?.runId === runId && (await store.leaseHolder(sessionId, currentClaimant())) === undefined;
    if (isExpired) return;
    await change.happened;
  }
}
