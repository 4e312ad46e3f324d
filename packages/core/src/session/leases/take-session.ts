import { LonghaulError } from '@longhaul/protocol';
import type { Lease, LeaseHolder, Store } from '../../ports/index.ts';
import { isHoldId } from '../ids.ts';
import { cancelled, interruptionOf } from '../runs/interruption.ts';
import { currentClaimant } from './lease-owner.ts';
import { nextChange } from './next-change.ts';

const LEASE_TTL_MS = 30_000;

/** A lease that its owner has not renewed for this long can be taken. */
export function leaseTtlMs(store: Pick<Store, 'leaseTtlMs'>): number {
  return store.leaseTtlMs ?? LEASE_TTL_MS;
}

/** Interval at which an owner renews its lease. */
export function leaseRenewalMs(store: Pick<Store, 'leaseTtlMs'>): number {
  return leaseTtlMs(store) / 3;
}

export interface TakeOptions {
  runId: string;
  /**
   * Maximum time to wait for work between runs: a manual compaction, a pin, the repair of a dead run. A run is not
   * waited for.
   */
  patienceMs: number;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
}

/** Interval of checks in addition to those after changes. A holder can die without a change in the store. */
const CHECK_INTERVAL_MS = 500;

/**
 * Takes the session for this process.
 *
 * @throws {LonghaulError} `session_busy` while a run drives the session, or if work between runs takes longer than
 * `patienceMs`. On an abort: the interruption that is its reason, or `cancelled`.
 */
export async function takeSession(
  store: Store,
  sessionId: string,
  { runId, patienceMs, signal }: TakeOptions,
): Promise<Lease> {
  const until = performance.now() + patienceMs;
  const claim = { runId, ttlMs: leaseTtlMs(store), ...currentClaimant() };
  for (;;) {
    try {
      return (await store.acquireLease(sessionId, claim)).lease;
    } catch (error) {
      if (!isHeldBetweenRuns(error) || performance.now() >= until) throw error;
    }
    if (signal?.aborted === true) throw interruptionOf(signal) ?? cancelled();
    using change = nextChange(store, CHECK_INTERVAL_MS, signal);
    // The session may have been released before the watch started.
    if ((await store.leaseHolder(sessionId, currentClaimant())) === undefined) continue;
    await change.happened;
  }
}

/**
 * Returns the holder of the lease if a living process drives a run. That run takes queued messages; work between runs
 * does not.
 */
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
