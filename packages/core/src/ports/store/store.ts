import type { ApprovalStore } from './approval-store.ts';
import type { CancelStore } from './cancel-store.ts';
import type { EventStore } from './event-store.ts';
import type { LeaseStore } from './lease-store.ts';
import type { LogStore } from './log-store.ts';
import type { MarkStore } from './mark-store.ts';
import type { QueueStore } from './queue-store.ts';
import type { SearchStore } from './search-store.ts';
import type { SessionStore } from './session-store.ts';
import type { SettingsStore } from './settings-store.ts';

/**
 * Where sessions live.
 *
 * Every method is atomic: all of it is stored, or nothing, and what it returns is on disk. Methods that take a `Lease`
 * check its epoch in the same transaction and refuse a stale one with `lease_lost`. Methods that take `events` store
 * them in the same transaction and return them numbered, in the order given.
 *
 * A store may combine concurrent calls of one tick into one commit; each call still succeeds or fails alone.
 *
 * @throws {LonghaulError} `session_not_found`, `lease_lost`, `store_unavailable` (retryable: locked for longer than the busy
 * timeout), `store_full`, `store_readonly`, `store_corrupt`, `store_newer`.
 */
export interface Store
  extends SessionStore,
    LeaseStore,
    CancelStore,
    LogStore,
    EventStore,
    QueueStore,
    ApprovalStore,
    MarkStore,
    SearchStore,
    SettingsStore,
    AsyncDisposable {
  /**
   * Calls the listener, within a moment, after another process has changed what is stored, and after a cancel was asked for or
   * answered. It is not said what changed. Does not keep a process alive.
   */
  watch(listener: () => void): Disposable;
}
