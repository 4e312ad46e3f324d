import type { Store } from '@longhaul/core';
import type { ServerMemory } from '@longhaul/models';
import type { Connection } from './connection.ts';
import { approvalStore } from './stores/approval-store.ts';
import { cancelStore } from './stores/cancel-store.ts';
import { eventStore } from './stores/event-store.ts';
import {
  outputStore,
  processStore,
  searchStore,
  serverStore,
  settingsStore,
  usageStore,
} from './stores/kept-stores.ts';
import { leaseStore } from './stores/lease-store.ts';
import { logStore } from './stores/log-store.ts';
import { markStore } from './stores/mark-store.ts';
import { queueStore } from './stores/queue-store.ts';
import { sessionStore } from './stores/session-store.ts';
import { createStoreCore, type StoreCoreOptions } from './stores/store-core.ts';

/** Of another machine, nothing is known but its lease, so it is shorter than on one machine. */
const LEASE_TTL_MS = 15_000;

export interface PostgresStore extends Store, ServerMemory {}

/** The Store port on one pool of connections. Use `openPostgresStore` to open one. */
export function createPostgresStore(connection: Connection, options: StoreCoreOptions): PostgresStore {
  const core = createStoreCore(connection, options);
  return {
    leaseTtlMs: LEASE_TTL_MS,
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
    ...serverStore(core),
    watch(listener) {
      core.assertOpen();
      return core.watchers.add(listener);
    },
    [Symbol.asyncDispose]: () => core.close(),
  };
}
