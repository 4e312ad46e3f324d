import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isBlobId } from './blob-errors.ts';

export interface BlobFile {
  id: string;
  path: string;
  size: number;
  /** When the blob was last put, in milliseconds since 1970. */
  putAt: number;
}

/** Returns the path of a blob's file. */
export function blobPath(folder: string, id: string): string {
  return join(folder, id.slice(0, 2), id.slice(2));
}

/**
 * Yields every blob in the folder, in no particular order. A missing folder yields nothing. Files that are not blobs
 * are skipped.
 */
export async function* blobFiles(folder: string): AsyncGenerator<BlobFile> {
  for (const shard of await entriesOf(folder)) {
    if (!shard.isDirectory() || shard.name.length !== 2) continue;
    for (const entry of await entriesOf(join(folder, shard.name))) {
      const id = shard.name + entry.name;
      const path = join(folder, shard.name, entry.name);
      if (!isBlobId(id)) continue;
      const info = await infoOf(path);
      if (info !== undefined) yield { id, path, ...info };
    }
  }
}

/** Returns undefined if the file does not exist. */
export async function infoOf(path: string): Promise<{ size: number; putAt: number } | undefined> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { size, putAt: mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === 'ENOENT';
}
