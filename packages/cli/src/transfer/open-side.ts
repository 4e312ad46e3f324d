import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expandHome } from '@longhaul/config';
import { type BlobStore, isOwnerAlive } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { TreePacks } from '@longhaul/storage/maintenance';
import type { StoreTables } from '@longhaul/storage/transfer';
import { openBlobs, type StorageAddress } from '../compose/open-blobs.ts';
import { blobFolder, databasePath, isPostgres } from '../compose/storage-place.ts';
import { packsIn } from '../compose/tree-packs.ts';

/** A store that sessions are copied from or to. */
export interface Side extends AsyncDisposable {
  tables: StoreTables;
  blobs: BlobStore;
  /** Where its blobs are, as messages show it. */
  blobPlace: string;
  packs: TreePacks;
}

export interface SideOptions {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  cwd: string;
  /** Whether a database that does not exist is created. */
  isTarget: boolean;
}

/**
 * Opens a store, and migrates its tables to this version.
 *
 * @throws {LonghaulError} `usage` for an address that names no store; `not_found`; as opening the store.
 */
export async function openSide(address: StorageAddress, options: SideOptions): Promise<Side> {
  if (isPostgres(address.url)) return openPostgresSide(address, options.env);
  if (address.url.startsWith('sqlite:')) return openSqliteSide(address.url, options);
  throw new LonghaulError(
    'usage',
    'longhaul migrate-storage takes two stores, such as sqlite:PATH and postgres://USER@HOST/DATABASE.',
  );
}

async function openPostgresSide(address: StorageAddress, env: SideOptions['env']): Promise<Side> {
  const [{ openPostgresStore }, { openPostgresTables }] = await Promise.all([
    import('@longhaul/storage/postgres'),
    import('@longhaul/storage/transfer'),
  ]);
  await using opening = new AsyncDisposableStack();
  const store = opening.use(await openPostgresStore({ url: address.url, maxConnections: 2 }));
  const blobs = await openBlobs(address, store, env);
  const tables = opening.use(await openPostgresTables(address.url));
  const opened = opening.move();
  return {
    tables,
    blobs,
    blobPlace: blobs.place,
    packs: packsIn(blobs),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function openSqliteSide(url: string, { home, cwd, isTarget }: SideOptions): Promise<Side> {
  const path = resolve(cwd, expandHome(databasePath(url), home));
  if (!isTarget && !existsSync(path))
    throw new LonghaulError('not_found', `There is no database at ${path}. Name the one to copy from.`);
  const [{ openSqliteStore }, { openSqliteTables }, { createFileBlobStore }] = await Promise.all([
    import('@longhaul/storage/sqlite'),
    import('@longhaul/storage/transfer'),
    import('@longhaul/storage/blobs'),
  ]);
  await (await openSqliteStore({ path }))[Symbol.asyncDispose]();
  const tables = openSqliteTables(path, { isAlive: isOwnerAlive });
  const blobs = createFileBlobStore(blobFolder(path));
  return {
    tables,
    blobs,
    blobPlace: blobFolder(path),
    packs: packsIn(blobs),
    [Symbol.asyncDispose]: () => tables[Symbol.asyncDispose](),
  };
}
