import type { ApprovalStore } from './approval-store.ts';
import type { CancelStore } from './cancel-store.ts';
import type { EventStore } from './event-store.ts';
import type { LeaseStore } from './lease-store.ts';
import type { LogStore } from './log-store.ts';
import type { MarkStore } from './mark-store.ts';
import type { OutputStore } from './output-store.ts';
import type { ProcessStore } from './process-store.ts';
import type { QueueStore } from './queue-store.ts';
import type { SearchStore } from './search-store.ts';
import type { SessionStore } from './session-store.ts';
import type { SettingsStore } from './settings-store.ts';
import type { UsageStore } from './usage-store.ts';

/**
 * Stores sessions.
 *
 * Every method is atomic: it stores everything or nothing, and its result is stored before it resolves. Methods with a
 * `Lease` check its epoch in the same transaction and refuse a stale one with `lease_lost`. Methods with `events` store
 * them in the same transaction and return them with numbers, in the given order.
 *
 * A store may combine concurrent calls of one tick into one commit. Each call still succeeds or fails independently.
 *
 * @throws {LonghaulError} `session_not_found`, `lease_lost`, `store_unavailable` (retryable: locked for longer than the
 * busy timeout), `store_full`, `store_readonly`, `store_corrupt`, `store_newer`.
 */
export interface Store
  extends SessionStore,
    LeaseStore,
    CancelStore,
    LogStore,
    EventStore,
    OutputStore,
    ProcessStore,
    QueueStore,
    ApprovalStore,
    MarkStore,
    SearchStore,
    SettingsStore,
    UsageStore,
    AsyncDisposable {
  /**
   * Calls the listener shortly after another process has changed stored data, and after a cancel was requested or
   * answered. The listener does not learn what has changed. The watch does not keep the process alive.
   */
  watch(listener: () => void): Disposable;
  /**
   * Checks that no newer program has changed the stored form, so that this one cannot use it any more. `acquireLease`
   * checks it, too. Absent: the store does not check.
   *
   * @throws {LonghaulError} `store_newer`
   */
  assertUsable?(): Promise<void>;
}
