import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../shared/private-folder.ts';
import { isBlobId } from './blob-errors.ts';
import { blobFiles, blobPath, entriesOf, infoOf } from './blob-files.ts';

export interface SweepOptions {
  /** Asked about each blob that is old enough. */
  isNamed: (id: string) => boolean;
  now?: () => number;
  /** Only count. */
  dryRun?: boolean;
}

export interface Swept {
  /** Blobs that nobody names. */
  blobs: { count: number; bytes: number };
  /** What writers that died left unfinished. */
  leftovers: { count: number; bytes: number };
}

/** A blob is on disk before the part that names it is: a young one may be about to be named. */
const YOUNG_MS = 60 * 60 * 1000;
/** A stream that is being stored may be silent for long. */
const WRITING_MS = 24 * 60 * 60 * 1000;
const DROPPED = 'dropped-';

/**
 * Drops blobs that nobody names, beside others that read and write. A blob is first moved out of the way and looked at once more: if it was
 * put again in the meantime it goes back, and whoever puts it after that finds no such blob and writes it.
 */
export async function sweepBlobs(folder: string, options: SweepOptions): Promise<Swept> {
  const { now = Date.now, dryRun = false } = options;
  const swept: Swept = { blobs: { count: 0, bytes: 0 }, leftovers: { count: 0, bytes: 0 } };
  await sweepLeftovers(folder, { ...options, now, dryRun }, swept.leftovers);
  for await (const { id, path, size, putAt } of blobFiles(folder)) {
    const isYoung = putAt > now() - YOUNG_MS;
    if (isYoung || options.isNamed(id)) continue;
    if (!dryRun && !(await drop(folder, { id, path, putAt }))) continue;
    swept.blobs.count += 1;
    swept.blobs.bytes += size;
  }
  return swept;
}

async function drop(folder: string, blob: { id: string; path: string; putAt: number }): Promise<boolean> {
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

/** False if another sweep was faster. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return false;
    throw error;
  }
}

/** Unfinished writes, and what an earlier sweep had moved out of the way when it was killed: that goes back if it is named after all. */
async function sweepLeftovers(
  folder: string,
  { isNamed, now, dryRun }: Required<SweepOptions>,
  found: Swept['leftovers'],
): Promise<void> {
  for (const { name } of await entriesOf(join(folder, 'tmp'))) {
    const path = join(folder, 'tmp', name);
    const info = await infoOf(path);
    if (info === undefined || info.putAt > now() - WRITING_MS) continue;
    const id = name.startsWith(DROPPED) ? name.slice(DROPPED.length) : '';
    if (isBlobId(id) && isNamed(id)) {
      if (!dryRun) await rename(path, blobPath(folder, id));
      continue;
    }
    if (!dryRun) await rm(path, { force: true });
    found.count += 1;
    found.bytes += info.size;
  }
}
