import type { Store } from '@longhaul/core';
import { machineUptime } from '../shared/machine-uptime.ts';
import { MemoryCore } from './memory-core.ts';
import { approvalStore } from './stores/approval-store.ts';
import { cancelStore } from './stores/cancel-store.ts';
import { eventStore } from './stores/event-store.ts';
import { leaseStore } from './stores/lease-store.ts';
import { logStore } from './stores/log-store.ts';
import { markStore } from './stores/mark-store.ts';
import { outputStore } from './stores/output-store.ts';
import { processStore } from './stores/process-store.ts';
import { queueStore } from './stores/queue-store.ts';
import { searchStore } from './stores/search-store.ts';
import { sessionStore } from './stores/session-store.ts';
import { settingsStore } from './stores/settings-store.ts';
import { usageStore } from './stores/usage-store.ts';

export interface MemoryStoreOptions {
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
  /** Milliseconds since the machine started, from a clock that cannot be set. Default: the machine's. */
  uptime?: () => number;
}

/**
 * Creates a store in memory that is lost when the process ends, for tests and short-lived sessions.
 *
 * Each method works synchronously, so calls cannot interleave. Arguments and results are cloned, so callers cannot
 * change stored values.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const core = new MemoryCore({ now: options.now ?? Date.now, uptime: options.uptime ?? machineUptime });
  return {
    ...sessionStore(core),
    ...leaseStore(core),
    ...cancelStore(core),
    ...logStore(core),
    ...eventStore(core),
    ...outputStore(core),
    ...processStore(core),
    ...queueStore(core),
    ...approvalStore(core),
    ...markStore(core),
    ...searchStore(core),
    ...settingsStore(core),
    ...usageStore(core),
    watch: (listener) => core.watchers.add(listener),
    [Symbol.asyncDispose]: async () => core.close(),
  };
}
