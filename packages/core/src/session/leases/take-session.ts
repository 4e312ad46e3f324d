import { LonghaulError } from '@longhaul/protocol';
import type { Lease, LeaseHolder, Store } from '../../ports/index.ts';
import { isHoldId } from '../ids.ts';
import { cancelled, interruptionOf } from '../runs/interruption.ts';
import { currentClaimant } from './lease-owner.ts';
import { nextChange } from './next-change.ts';

/** A silent owner is replaced after this long. */
export const LEASE_TTL_MS = 30_000;

export interface TakeOptions {
  runId: string;
  /** How long work between runs is waited for: a compaction that was asked for, a pin, the end of a dead run. A run never is. */
  patienceMs: number;
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
}

/** A look beside those that changes bring: a holder may die without a word. */
const LOOK_MS = 500;

/**
 * Takes the session for this process.
 *
 * @throws {LonghaulError} `session_busy` while a run drives it, or work between runs outlasts the patience; on the signal `cancelled`, or the
 * interruption that is its reason.
 */
export async function takeSession(
  store: Store,
  sessionId: string,
  { runId, patienceMs, signal }: TakeOptions,
): Promise<Lease> {
  const until = performance.now() + patienceMs;
  const claim = { runId, ttlMs: LEASE_TTL_MS, ...currentClaimant() };
  for (;;) {
    try {
      return (await store.acquireLease(sessionId, claim)).lease;
    } catch (error) {
      if (!isHeldBetweenRuns(error) || performance.now() >= until) throw error;
    }
    if (signal?.aborted === true) throw interruptionOf(signal) ?? cancelled();
    using change = nextChange(store, LOOK_MS, signal);
    // It may have been given back before anyone listened.
    if ((await store.leaseHolder(sessionId, currentClaimant())) === undefined) continue;
    await change.happened;
  }
}

/** The run that drives the session, in whichever living process: it takes the messages that are sent. Work between runs does not. */
export async function drivingRun(
  store: Pick<Store, 'leaseHolder'>,
  sessionId: string,
): Promise<LeaseHolder | undefined> {
  const holder = await store.leaseHolder(sessionId, currentClaimant());
  return holder === undefined || isHoldId(holder.runId) ? undefined : holder;
}

function isHeldBetweenRuns(error: unknown): boolean {
  if (!(error instanceof LonghaulError) || error.code !== 'session_busy') return false;
  const { runId } = error.data;
  return typeof runId === 'string' && isHoldId(runId);
}
