import type { Store } from '@longhaul/core';
import type { ServerMemory } from '@longhaul/models';
import type { BlobSpace, BlobUser } from '../blobs/blob-space.ts';
import { readDatabaseId } from './blobs/database-id.ts';
import { keepBlob } from './blobs/dying-blobs.ts';
import { createPostgresBlobSpace } from './blobs/postgres-blob-space.ts';
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
import { assertUsable } from './table-version.ts';

/** Of another machine, nothing is known but its lease, so it is shorter than on one machine. */
const LEASE_TTL_MS = 15_000;

export interface PostgresStore extends Store, ServerMemory {
  /** Returns what names this store among those that share a place of blobs. */
  blobUser(): Promise<BlobUser>;
  /** Makes garbage collection keep a blob that is about to be stored. Every place of blobs must call it. */
  keepBlob(id: string): Promise<void>;
  /** The blobs that are kept in the database itself. */
  readonly blobs: BlobSpace;
  assertUsable(): Promise<void>;
}

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
    blobUser: async () => ({
      id: await core.query((db) => readDatabaseId(db, options.schema), ''),
      address: options.address,
    }),
    keepBlob: (id) => core.query((db) => keepBlob(db, id), ''),
    blobs: createPostgresBlobSpace(core, options.address),
    assertUsable: () => core.query((db) => assertUsable(db, options.address), ''),
    watch(listener) {
      core.assertOpen();
      return core.watchers.add(listener);
    },
    [Symbol.asyncDispose]: () => core.close(),
  };
}
