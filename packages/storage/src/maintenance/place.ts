import { stat } from 'node:fs/promises';

/** Where a store's files are. */
export interface StoragePlace {
  /** The database file. Its log and copies stand beside it. */
  path: string;
  /** The folder of its blobs. */
  blobs: string;
}

/** Bytes of a file; 0 if there is none. */
export async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
