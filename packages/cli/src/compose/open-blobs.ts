import type { Config } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import type { BlobSpace, BlobSpaceOptions } from '@longhaul/storage/blobs';
import type { PostgresStore } from '@longhaul/storage/postgres';
import { isPostgres, postgresPlace } from './storage-place.ts';

/** `storage.url`, and `storage.blobs` if it is set. */
export type StorageAddress = Pick<Config['storage'], 'url'> & { blobs?: string | null };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens the blobs of a PostgreSQL store: those that `storage.blobs` names.
 *
 * @throws {LonghaulError} `config_invalid` for the address of a bucket that cannot be read.
 */
export async function openBlobs(
  { blobs }: Pick<StorageAddress, 'blobs'>,
  store: PostgresStore,
  env: Environment,
): Promise<BlobSpace> {
  const place: BlobSpace = await openPlace(blobs ?? null, store, { env, keep });
  let known: Promise<void> | undefined;
  return place;

  /** Notes at the first blob that this database has blobs here. */
  async function keep(id: string): Promise<void> {
    known ??= noted();
    await known;
    await store.keepBlob(id);
  }

  async function noted(): Promise<void> {
    try {
      await place.addDatabase(await store.blobUser());
    } catch (error) {
      known = undefined;
      throw error;
    }
  }
}

async function openPlace(
  blobs: string | null,
  store: PostgresStore,
  { env, keep }: BlobSpaceOptions & { env: Environment },
): Promise<BlobSpace> {
  if (blobs === 'postgres') return store.blobs;
  if (blobs?.startsWith('s3:')) {
    const { createS3BlobSpace } = await import('@longhaul/storage/s3');
    return createS3BlobSpace(blobs, { env, keep });
  }
  const { createFolderBlobSpace } = await import('@longhaul/storage/blobs');
  return createFolderBlobSpace(blobs ?? postgresPlace().blobs, { keep });
}

/** Returns the folder of blobs that `storage.blobs` names. Undefined: they are elsewhere. */
export function namedBlobFolder({ url, blobs }: StorageAddress): string | undefined {
  return isPostgres(url) && blobs?.startsWith('/') ? blobs : undefined;
}

/** @throws {LonghaulError} `config_invalid` if `storage.blobs` is set for a database that does not use it. */
export function assertBlobsFit({ url, blobs }: StorageAddress): void {
  if (isPostgres(url) || blobs === null || blobs === undefined) return;
  throw new LonghaulError(
    'config_invalid',
    'storage.blobs is set, and storage.url names no PostgreSQL database. The blobs of an SQLite database are in the folder next to it. Remove storage.blobs, or set storage.url to postgres://USER@HOST/DATABASE.',
  );
}
