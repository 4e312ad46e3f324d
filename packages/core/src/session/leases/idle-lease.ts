import { type Session, toLonghaulError } from '@longhaul/protocol';
import { defer } from '../../defer.ts';
import type { Lease, Store } from '../../ports/index.ts';
import type { EventHub } from '../events/event-hub.ts';
import { newHoldId } from '../ids.ts';
import { takenOver } from '../runs/interruption.ts';
import type { RunRegistry } from '../runs/run-registry.ts';
import { SessionWriter } from '../session-writer.ts';
import { LEASE_TTL_MS, takeSession } from './take-session.ts';

/** What is done between runs is mostly done in milliseconds; a compaction takes as long as its model. */
const PATIENCE_MS = 5_000;

/** Renews a lease until it is disposed of. `onLost` is called when another has taken the session: what still runs must stop. */
export function keepLease(store: Store, lease: Lease, onLost: () => void = () => {}): AsyncDisposable {
  const timer = setInterval(() => {
    // Whatever else fails is tried again before the lease expires, and met by the next append.
    store.renewLease(lease, LEASE_TTL_MS).catch((error: unknown) => {
      if (toLonghaulError(error).code !== 'lease_lost') return;
      clearInterval(timer);
      onLost();
    });
  }, LEASE_TTL_MS / 3);
  timer.unref();
  return defer(() => clearInterval(timer));
}

export interface IdleWork {
  store: Store;
  hub: EventHub;
  session: Session;
  /** Where work that takes long can be cancelled from. */
  runs: RunRegistry;
  /** How long other work between runs is waited for. Default 5 seconds. */
  patienceMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Changes a session between its runs: takes it, as a run does, and gives it back as it was. What compactions hide is not loaded.
 *
 * @throws {LonghaulError} `session_busy` while a run drives it; what `work` throws.
 */
export async function holdIdle<T>(
  { store, hub, session, runs, patienceMs = PATIENCE_MS, signal: callerSignal }: IdleWork,
  work: (writer: SessionWriter, signal: AbortSignal) => Promise<T>,
): Promise<T> {
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
    await writer.finishRun({
      status,
      sessionStatus: session.status,
      onlyIfQueueEmpty: false,
      events: [{ type: 'session:status', status: 'idle' }],
    });
  }
}
