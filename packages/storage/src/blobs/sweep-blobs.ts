import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../shared/private-folder.ts';
import { isBlobId } from './blob-errors.ts';
import { blobFiles, blobPath, entriesOf, infoOf } from './blob-files.ts';

export interface SweepOptions {
  /** Whether something references the blob. Called for each blob that is old enough to be removed. */
  isNamed: (id: string) => boolean | Promise<boolean>;
  now?: () => number;
  /** If true, counts without removing anything. */
  dryRun?: boolean;
}

export interface Swept {
  /** Unreferenced blobs. */
  blobs: { count: number; bytes: number };
  /** Temporary files of writers that died. */
  leftovers: { count: number; bytes: number };
}

/** A blob is stored before the part that references it, so a young unreferenced blob may still get its reference. */
const YOUNG_MS = 60 * 60 * 1000;
/** A stream that is being stored may produce no data for a long time. */
const WRITING_MS = 24 * 60 * 60 * 1000;
const DROPPED = 'dropped-';

/**
 * Removes unreferenced blobs. Other processes may read and write in the meantime. Each blob is first moved aside and
 * its modification time is checked again. If the blob was put again in the meantime, it is moved back. A later put
 * finds no such blob and writes it.
 */
export async function sweepBlobs(folder: string, options: SweepOptions): Promise<Swept> {
  const { now = Date.now, dryRun = false } = options;
  const swept: Swept = { blobs: { count: 0, bytes: 0 }, leftovers: { count: 0, bytes: 0 } };
  await sweepLeftovers(folder, { ...options, now, dryRun }, swept.leftovers);
  for await (const { id, path, size, putAt } of blobFiles(folder)) {
    const isYoung = putAt > now() - YOUNG_MS;
    if (isYoung || (await options.isNamed(id))) continue;
    if (!dryRun && !(await dropBlob(folder, { id, path, putAt }))) continue;
    swept.blobs.count += 1;
    swept.blobs.bytes += size;
  }
  return swept;
}

/** Deletes a blob, unless it was put again after `putAt`. Returns whether it was deleted. */
export async function dropBlob(
  folder: string,
  blob: { id: string; path: string; putAt: number },
): Promise<boolean> {
  const aside = join(folder, 'tmp', DROPPED + blob.id);
  await makePrivateFolder(join(folder, 'tmp'));
  if (!(await moved(blob.path, aside))) return false;
  const info = await infoOf(aside);
  if (info !== undefined && info.putAt !== blob.putAt) {
    await rename(aside, blob.path);
    return false;
  }
  await rm(aside, { force: true });
  return true;
}

/** Returns false if `from` does not exist, because another sweep moved it first. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Removes unfinished writes and blobs that a killed sweep had moved aside. Such a blob is moved back if it is
 * referenced.
 */
export async function sweepLeftovers(
  folder: string,
  { isNamed, now, dryRun }: Required<SweepOptions>,
  found: Swept['leftovers'],
): Promise<void> {
  for (const { name } of await entriesOf(join(folder, 'tmp'))) {
    const path = join(folder, 'tmp', name);
    const info = await infoOf(path);
    if (info === undefined || info.putAt > now() - WRITING_MS) continue;
    const id = name.startsWith(DROPPED) ? name.slice(DROPPED.length) : '';
    if (isBlobId(id) && (await isNamed(id))) {
      if (!dryRun) await rename(path, blobPath(folder, id));
      continue;
    }
    if (!dryRun) await rm(path, { force: true });
    found.count += 1;
    found.bytes += info.size;
  }
}
