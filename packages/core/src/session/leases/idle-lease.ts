import { type Session, toLonghaulError } from '@longhaul/protocol';
import { defer } from '../../defer.ts';
import type { FinishRunOptions, Lease, Store } from '../../ports/index.ts';
import type { EventHub } from '../events/event-hub.ts';
import { newHoldId } from '../ids.ts';
import { takenOver } from '../runs/interruption.ts';
import type { RunRegistry } from '../runs/run-registry.ts';
import { SessionWriter } from '../session-writer.ts';
import { leaseRenewalMs, leaseTtlMs, takeSession } from './take-session.ts';

/** Work between runs usually takes milliseconds. A compaction takes as long as its model. */
const PATIENCE_MS = 5_000;

/**
 * Renews a lease until the result is disposed. Calls `onLost` when another process has taken the session: running work
 * must stop.
 */
export function keepLease(store: Store, lease: Lease, onLost: () => void = () => {}): AsyncDisposable {
  const timer = setInterval(() => {
    // Other errors are ignored: renewal is retried before the lease expires, and the next append reports the error.
    store.renewLease(lease, leaseTtlMs(store)).catch((error: unknown) => {
      if (toLonghaulError(error).code !== 'lease_lost') return;
      clearInterval(timer);
      onLost();
    });
  }, leaseRenewalMs(store));
  timer.unref();
  return defer(() => clearInterval(timer));
}

export interface IdleWork {
  store: Store;
  hub: EventHub;
  session: Session;
  /** Registers the work, so that it can be cancelled. */
  runs: RunRegistry;
  /** Maximum time to wait for other work between runs. Default 5,000. */
  patienceMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Holds an idle session during `work`, with a lease like a run's, and releases it with its status unchanged. Hidden
 * messages are not loaded.
 *
 * @throws {LonghaulError} `session_busy` while a run drives the session, or if other work between runs takes too long.
 * @throws Errors of `work`.
 */
export async function holdIdle<T>(
  { store, hub, session, runs, patienceMs = PATIENCE_MS, signal: callerSignal }: IdleWork,
  work: (writer: SessionWriter, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  await runs.unstoredEnds.store(session.id);
  const lease = await takeSession(store, session.id, {
    runId: newHoldId(),
    patienceMs,
    signal: callerSignal,
  });
  await using active = runs.begin(lease, callerSignal);
  await using _renewal = keepLease(store, lease, () => active.interrupt(takenOver()));
  const log = await store.loadView(session.id);
  const writer = new SessionWriter({ store, lease, hub, log });
  let status: 'completed' | 'failed' | 'cancelled' = 'completed';
  try {
    return await work(writer, active.signal);
  } catch (error) {
    status = toLonghaulError(error).code === 'cancelled' ? 'cancelled' : 'failed';
    throw error;
  } finally {
    await release(writer, runs, {
      status,
      sessionStatus: session.status,
      onlyIfQueueEmpty: false,
      events: [{ type: 'session:status', status: 'idle' }],
    });
  }
}

async function release(writer: SessionWriter, runs: RunRegistry, end: FinishRunOptions): Promise<void> {
  try {
    await writer.finishRun(end);
  } catch (error) {
    writer.leaveUnstored(end);
    runs.unstoredEnds.keep(writer);
    throw error;
  }
}
