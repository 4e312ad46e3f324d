import { dirname } from 'node:path';
import type { BlobStore, Store } from '@longhaul/core';
import type { ServerMemory } from '@longhaul/models';
import { blobFolder, copiesFolder, databasePath, isPostgres, postgresPlace } from './storage-place.ts';

export interface Storage {
  store: Store;
  blobs: BlobStore;
  servers: ServerMemory;
  /** The folder of the database. Undefined: everything is in memory. */
  folder: string | undefined;
  /** The folder of copied workspaces. Undefined: there are none. */
  copies?: string | undefined;
}

/** A storage that opens in the background and is closed at the end, whether or not that succeeded. */
export interface HeldStorage extends AsyncDisposable {
  readonly opened: Promise<Storage>;
}

export function holdStorage(url: string): HeldStorage {
  const opened = openStorage(url);
  const settled = opened.then(
    ({ store }) => store,
    // The failure is reported to the code that awaits `opened`.
    () => undefined,
  );
  return {
    opened,
    async [Symbol.asyncDispose]() {
      await (await settled)?.[Symbol.asyncDispose]();
    },
  };
}

export interface StorageOptions {
  access?: 'read' | 'write' | undefined;
  /** Returns where other servers of a cluster reach this process. */
  serverAddress?: (() => string | undefined) | undefined;
}

/**
 * Opens the store that `storage.url` names. The blobs of an SQLite database are in the folder `blobs` next to it. With
 * `access: 'read'`, a database that cannot be written can be read.
 *
 * @throws {LonghaulError} `config_invalid` for an unknown kind of store; as opening the store.
 */
export async function openStorage(
  url: string,
  { access, serverAddress }: StorageOptions = {},
): Promise<Storage> {
  if (url.startsWith('memory:')) return openMemory();
  if (isPostgres(url)) return openPostgres(url, { access, serverAddress });
  const path = databasePath(url);
  const [{ openSqliteStore }, { createFileBlobStore }] = await Promise.all([
    import('@longhaul/storage/sqlite'),
    import('@longhaul/storage/blobs'),
  ]);
  const store = await openSqliteStore({ path, ...(access === undefined ? {} : { access }) });
  return {
    store,
    servers: store,
    blobs: createFileBlobStore(blobFolder(path)),
    folder: dirname(path),
    copies: copiesFolder(path),
  };
}

async function openMemory(): Promise<Storage> {
  const [{ createMemoryServerMemory, createMemoryStore }, { createMemoryBlobStore }] = await Promise.all([
    import('@longhaul/storage/memory'),
    import('@longhaul/storage/blobs'),
  ]);
  return {
    store: createMemoryStore(),
    blobs: createMemoryBlobStore(),
    servers: createMemoryServerMemory(),
    folder: undefined,
  };
}

async function openPostgres(url: string, { access, serverAddress }: StorageOptions): Promise<Storage> {
  const [{ openPostgresStore }, { createFileBlobStore }] = await Promise.all([
    import('@longhaul/storage/postgres'),
    import('@longhaul/storage/blobs'),
  ]);
  const store = await openPostgresStore({ url, serverAddress, ...(access === undefined ? {} : { access }) });
  const { blobs, folder, copies } = postgresPlace();
  return { store, servers: store, blobs: createFileBlobStore(blobs), folder, copies };
}
