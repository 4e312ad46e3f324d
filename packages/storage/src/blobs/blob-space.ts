import type { BlobStore } from '@longhaul/core';

/** Blobs that several programs on several machines can share, and what maintenance needs to know of them. */
export interface BlobSpace extends BlobStore {
  /** Where the blobs are, as messages show it. */
  readonly place: string;
  /** Yields every blob, in no particular order. */
  list(): AsyncIterable<StoredBlob>;
  /** Deletes a blob, if there is one. The caller makes sure that no program stores it at the same time. */
  remove(id: string): Promise<void>;
  /** Removes what programs left behind that died while they stored a blob. */
  removeLeftovers(options: { dryRun: boolean }): Promise<{ count: number; bytes: number }>;
  /** Returns the databases that have blobs here. */
  databases(): Promise<BlobUser[]>;
  addDatabase(database: BlobUser): Promise<void>;
}

export interface StoredBlob {
  id: string;
  /** Bytes. */
  size: number;
}

/** A database whose sessions refer to the blobs of a place. */
export interface BlobUser {
  /** Letters, digits, `-` and `_`. */
  id: string;
  /** Its address, without a password. */
  address: string;
}

export interface BlobSpaceOptions {
  /** Called with the id of each blob before the store looks whether it has it, so that `longhaul gc` keeps it. */
  keep?: (id: string) => Promise<void>;
}

/** The folder, in a blob space, of the names of its databases. */
export const DATABASES = 'databases';

/** Whether a name can be one of those. */
export function isBlobUserId(name: string): boolean {
  return /^[\w-]{1,200}$/.test(name);
}
