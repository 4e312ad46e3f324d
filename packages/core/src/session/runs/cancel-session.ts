import type { LeaseHolder, Store } from '../../ports/index.ts';
import { currentClaimant, isOwnerAlive } from '../leases/lease-owner.ts';
import { nextChange } from '../leases/next-change.ts';
import type { RunRegistry } from './run-registry.ts';

export interface CancelResult {
  /** Something held the session, and has ended. False when it was idle, or whoever held it was dead. */
  wasRunning: boolean;
  /** Messages that waited and are dropped, with `clearQueue`. */
  clearedMessages: number;
}

export interface CancelOptions {
  store: Store;
  registry: RunRegistry;
  clearQueue: boolean;
  /** Ends in the store what a dead process left. */
  settle: () => Promise<void>;
}

/** A look at the owner beside those that changes bring: it may die without a word. */
const LOOK_MS = 500;

/** Ends what holds the session, wherever it runs, and answers when nothing of it goes on any more. */
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
  const own = registry.find(holder.runId);
  if (own === undefined) {
    await untilAnswered(store, sessionId, holder);
    await settle();
  } else {
    own.cancel();
    await own.ended;
  }
  return { wasRunning: true, clearedMessages };
}

/** Until the run has answered, or its owner is dead or silent. */
async function untilAnswered(store: Store, sessionId: string, { runId, owner }: LeaseHolder): Promise<void> {
  for (;;) {
    using change = nextChange(store, LOOK_MS);
    if (!(await store.hasCancelRequest(runId)) || !isOwnerAlive(owner)) return;
    const current = await store.leaseHolder(sessionId);
    const isSilent =
      current?.runId === runId && (await store.leaseHolder(sessionId, currentClaimant())) === undefined;
    if (isSilent) return;
    await change.happened;
  }
}
