import type { Store } from '@longhaul/core';
import type { ServerMemory } from '@longhaul/models';
import type { Connection } from './connection.ts';
import { dropRest } from './drop-session.ts';
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
import { serverStore } from './stores/server-store.ts';
import { sessionStore } from './stores/session-store.ts';
import { settingsStore } from './stores/settings-store.ts';
import { createStoreCore, type StoreCoreOptions } from './stores/store-core.ts';
import { usageStore } from './stores/usage-store.ts';

export interface SqliteStore extends Store, ServerMemory {
  /** Deletes the remaining rows of a session without a head, which an interrupted deletion or fork left behind. */
  dropRest(sessionId: string): Promise<void>;
}

/** The Store port on one SQLite connection. Use `openSqliteStore` to open one. */
export function createSqliteStore(connection: Connection, options: StoreCoreOptions): SqliteStore {
  const core = createStoreCore(connection, options);
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
    ...serverStore(core),
    dropRest: (sessionId) => dropRest(core, sessionId),
    watch(listener) {
      core.assertOpen();
      return core.watchers.add(listener);
    },
    [Symbol.asyncDispose]: async () => core.close(),
  };
}
