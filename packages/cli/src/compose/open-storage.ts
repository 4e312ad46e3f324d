import { basename, dirname, join } from 'node:path';
import type { BlobStore, Store } from '@longhaul/core';
import type { ServerMemory } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';

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

/**
 * Opens the store that `storage.url` names. The blobs of an SQLite database are in the folder `blobs` next to it. With
 * `access: 'read'`, a database that cannot be written can be read.
 *
 * @throws {LonghaulError} `config_invalid` for an unknown kind of store; as opening the store.
 */
export async function openStorage(
  url: string,
  { access }: { access?: 'read' | 'write' } = {},
): Promise<Storage> {
  if (url.startsWith('memory:')) return openMemory();
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

/** Returns the folder of the workspaces that were copied for sessions of a database. */
export function copiesFolder(path: string): string {
  return join(dirname(path), 'copies', basename(path));
}

/** Returns the folder of a database's blobs, which all databases of a folder share. */
export function blobFolder(path: string): string {
  return join(dirname(path), 'blobs');
}

/** @throws {LonghaulError} `config_invalid` */
export function databasePath(url: string): string {
  if (url.startsWith('sqlite:') && url.length > 'sqlite:'.length) return url.slice('sqlite:'.length);
  throw new LonghaulError(
    'config_invalid',
    `storage.url is "${url.replace(/\/\/[^@/]*@/, '//…@')}", and this version stores sessions in SQLite: write sqlite:PATH, such as sqlite:~/.local/share/longhaul/longhaul.db.`,
  );
}
