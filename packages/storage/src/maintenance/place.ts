import { stat } from 'node:fs/promises';

/** Paths of a store's files. */
export interface StoragePlace {
  /** The database file. Its write-ahead log and copies are in the same folder. */
  path: string;
  /** The blob folder. */
  blobs: string;
}

/** Returns the size of a file in bytes; 0 if it does not exist. */
export async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
