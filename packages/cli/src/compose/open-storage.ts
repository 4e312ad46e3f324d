import { dirname } from 'node:path';
import type { BlobStore, Store } from '@longhaul/core';
import type { ServerMemory } from '@longhaul/models';
import { assertBlobsFit, namedBlobFolder, openBlobs, type StorageAddress } from './open-blobs.ts';
import { blobFolder, copiesFolder, databasePath, isPostgres, postgresPlace } from './storage-place.ts';

export interface Storage {
  store: Store;
  blobs: BlobStore;
  servers: ServerMemory;
  /** The folder of the database. Undefined: everything is in memory. */
  folder: string | undefined;
  /** The folder of the blobs, if it is not in `folder`. */
  blobFolder?: string | undefined;
  /** The folder of copied workspaces. Undefined: there are none. */
  copies?: string | undefined;
}

/** A storage that opens in the background and is closed at the end, whether or not that succeeded. */
export interface HeldStorage extends AsyncDisposable {
  readonly opened: Promise<Storage>;
}

export function holdStorage(address: StorageAddress, options: StorageOptions = {}): HeldStorage {
  const opened = openStorage(address, options);
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

/** A server runs for long, and its queries are short. */
const SERVER_SILENT_MS = 30_000;

export interface StorageOptions {
  access?: 'read' | 'write' | undefined;
  /** Returns where other servers of a cluster reach this process. */
  serverAddress?: (() => string | undefined) | undefined;
  /** Variables with the keys of a bucket. Default: those of this process. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Opens the store that `storage.url` names. The blobs of an SQLite database are in the folder `blobs` next to it, those
 * of a PostgreSQL database where `storage.blobs` says. With `access: 'read'`, a database that cannot be written can be
 * read.
 *
 * @throws {LonghaulError} `config_invalid` for an unknown kind of store; as opening the store.
 */
export async function openStorage(address: StorageAddress, options: StorageOptions = {}): Promise<Storage> {
  const { url } = address;
  assertBlobsFit(address);
  if (url.startsWith('memory:')) return openMemory();
  if (isPostgres(url)) return openPostgres(address, options);
  const path = databasePath(url);
  const [{ openSqliteStore }, { createFileBlobStore }] = await Promise.all([
    import('@longhaul/storage/sqlite'),
    import('@longhaul/storage/blobs'),
  ]);
  const { access } = options;
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

async function openPostgres(
  address: StorageAddress,
  { access, serverAddress, env = process.env }: StorageOptions,
): Promise<Storage> {
  const { openPostgresStore } = await import('@longhaul/storage/postgres');
  const { url } = address;
  const store = await openPostgresStore({
    url,
    serverAddress,
    silentMs: serverAddress && SERVER_SILENT_MS,
    ...(access === undefined ? {} : { access }),
  });
  const { folder, copies } = postgresPlace();
  try {
    const blobs = await openBlobs(address, store, env);
    return { store, servers: store, blobs, folder, copies, blobFolder: namedBlobFolder(address) };
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}
