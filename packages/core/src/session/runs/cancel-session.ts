import type { LeaseHolder, Store } from '../../ports/index.ts';
import { currentClaimant, isOwnerAlive } from '../leases/lease-owner.ts';
import { nextChange } from '../leases/next-change.ts';
import { leaseRenewalMs } from '../leases/take-session.ts';
import { endProcess, processHung } from './hung-process.ts';
import type { RunRegistry } from './run-registry.ts';

/** What a cancel ended. */
export interface CancelResult {
  /** A run, or work between runs, was active and has ended. False if the session was idle or its process was dead. */
  wasRunning: boolean;
  /** Number of queued messages that `clearQueue` removed. */
  clearedMessages: number;
  /** The process that did not answer and was ended with `force`. Its run is recorded as interrupted. */
  endedPid?: number;
}

export interface CancelRequest {
  /** Also clears the queue. */
  clearQueue: boolean;
  /** Ends a process that does not answer. */
  force: boolean;
  /** How long the process may take to show that it has seen the request. Default 5,000. */
  answerWithinMs?: number;
}

export interface CancelOptions extends CancelRequest {
  store: Store;
  registry: RunRegistry;
  /** Stores the end of a dead process's run. */
  settle: () => Promise<void>;
}

const ANSWER_WITHIN_MS = 5_000;
/** Interval of checks in addition to those after changes. An owner can die without a change in the store. */
const CHECK_INTERVAL_MS = 500;

/**
 * Cancels the run or the work that holds the session, in any process. Resolves when its work has stopped.
 *
 * @throws {LonghaulError} `process_hung` if the process does not answer, and cannot or must not be ended.
 */
export async function cancelSession(sessionId: string, options: CancelOptions): Promise<CancelResult> {
  const { store, registry, clearQueue, settle } = options;
  const before = await store.leaseHolder(sessionId);
  const request = { ...currentClaimant(), clearQueue };
  const { holder, clearedMessages } = await store.requestCancel(sessionId, request);
  // An expired lease whose process still exists: it has not renewed the lease in time.
  const silent = holder === undefined && before !== undefined && isSilent(before) ? before : undefined;
  if (holder === undefined && silent === undefined) {
    await settle();
    return { wasRunning: false, clearedMessages };
  }
  const local = holder === undefined ? undefined : registry.find(holder.runId);
  if (local !== undefined) {
    local.cancel();
    await local.ended;
    return { wasRunning: true, clearedMessages };
  }
  const hung = silent ?? (holder && (await waitForEnd(sessionId, holder, options)));
  const ended = hung === undefined ? {} : await endHung(sessionId, hung, options);
  await settle();
  return { wasRunning: true, clearedMessages, ...ended };
}

function isSilent({ owner }: LeaseHolder): boolean {
  const here = currentClaimant().owner;
  return owner.host === here.host && owner.pid !== here.pid && isOwnerAlive(owner);
}

/**
 * Waits until the run has answered the cancel request, or its owner is dead. A process that is at work renews its
 * lease: at once when it sees the request, and then regularly.
 *
 * @returns The holder if its process does not answer.
 */
async function waitForEnd(
  sessionId: string,
  holder: LeaseHolder,
  { store, answerWithinMs = ANSWER_WITHIN_MS }: CancelOptions,
): Promise<LeaseHolder | undefined> {
  let { expiresAt } = holder;
  let silentUntil = performance.now() + answerWithinMs;
  for (;;) {
    using change = nextChange(store, Math.min(CHECK_INTERVAL_MS, answerWithinMs));
    if (!(await store.hasCancelRequest(holder.runId)) || !isOwnerAlive(holder.owner)) return undefined;
    const current = await store.leaseHolder(sessionId);
    if (current?.runId === holder.runId && current.expiresAt !== expiresAt) {
      expiresAt = current.expiresAt;
      silentUntil = performance.now() + leaseRenewalMs(store) + answerWithinMs;
    }
    if (performance.now() >= silentUntil) return holder;
    await change.happened;
  }
}

async function endHung(
  sessionId: string,
  { runId, owner }: LeaseHolder,
  { store, force }: CancelOptions,
): Promise<Pick<CancelResult, 'endedPid'>> {
  if (!force) throw processHung(sessionId, owner);
  await endProcess(sessionId, owner);
  await store.answerCancel(runId);
  return { endedPid: owner.pid };
}
