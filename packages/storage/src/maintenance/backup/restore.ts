import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { blobFiles, blobPath, infoOf } from '../../blobs/blob-files.ts';
import { makePrivateFolder } from '../../shared/private-folder.ts';
import type { StoragePlace } from '../place.ts';
import { copyPrivately, type FileContent, hashOfFile } from './copied-file.ts';
import { BLOBS, DATABASE, FILES, type Manifest, readManifest } from './manifest.ts';

export interface RestoreOptions {
  /** Returns the path of a file that was kept with the store. Undefined: it is not restored. */
  pathOf: (name: string) => string | undefined;
}

export interface RestoreReport {
  createdAt: string;
  blobs: number;
  files: string[];
}

/**
 * Restores a backup to a place without a database. Checks the whole backup first, and overwrites nothing: a file that
 * exists must have the same content. All files are for their owner only.
 *
 * @throws {LonghaulError} `not_found`, `invalid_request` if it is no backup; `store_corrupt` if a file of it is damaged;
 * `usage` if files are in the way; `store_full`, `store_readonly`.
 */
export async function restoreStorage(
  folder: string,
  place: StoragePlace,
  { pathOf }: RestoreOptions,
): Promise<RestoreReport> {
  const { manifest, files, blobs } = await checkedBackup(folder, { pathOf });
  const missing = await withoutObstacles([place.path, `${place.path}-wal`], files);
  for (const id of blobs) {
    const to = blobPath(place.blobs, id);
    if ((await infoOf(to)) === undefined) await copyPrivately(blobPath(join(folder, BLOBS), id), to);
  }
  for (const { from, to } of missing) await copyPrivately(from, to);
  // The database is last: whoever finds it finds everything to which it refers.
  await makePrivateFolder(dirname(place.path));
  const partial = `${place.path}.restoring-${process.pid}.partial`;
  await copyPrivately(join(folder, DATABASE), partial);
  await rename(partial, place.path);
  return { createdAt: manifest.createdAt, blobs: blobs.length, files: missing.map(({ to }) => to) };
}

/** What a backup contains. All of it is as it was when the backup was made. */
export interface CheckedBackup {
  manifest: Manifest;
  /** The files of settings that are to be restored. */
  files: Target[];
  /** Ids of the blobs. */
  blobs: string[];
}

/** @throws {LonghaulError} `not_found`, `invalid_request` if it is no backup; `store_corrupt` if a file of it is damaged. */
export async function checkedBackup(folder: string, { pathOf }: RestoreOptions): Promise<CheckedBackup> {
  const manifest = await readManifest(folder);
  const files = manifest.files.flatMap((file) => {
    const to = pathOf(file.path);
    return to === undefined ? [] : [{ ...file, from: join(folder, FILES, file.path), to }];
  });
  const blobs = await checkedBlobs(folder, manifest);
  await assertContent(join(folder, DATABASE), manifest.database);
  for (const file of files) await assertContent(file.from, file);
  return { manifest, files, blobs };
}

/**
 * Restores the files that do not exist, and returns their paths.
 *
 * @throws {LonghaulError} `usage` if others have another content.
 */
export async function restoreFiles(files: readonly Target[]): Promise<string[]> {
  const missing = await withoutObstacles([], files);
  for (const { from, to } of missing) await copyPrivately(from, to);
  return missing.map(({ to }) => to);
}

async function checkedBlobs(folder: string, { blobs }: Manifest): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id, path } of blobFiles(join(folder, BLOBS))) {
    if ((await hashOfFile(path)).sha256 !== id) throw damaged(path);
    ids.push(id);
  }
  if (ids.length >= blobs.count) return ids;
  throw damaged(join(folder, BLOBS));
}

async function assertContent(path: string, { bytes, sha256 }: FileContent): Promise<void> {
  const found = (await infoOf(path)) === undefined ? undefined : await hashOfFile(path);
  if (found?.bytes !== bytes || found.sha256 !== sha256) throw damaged(path);
}

function damaged(path: string): LonghaulError {
  return new LonghaulError(
    'store_corrupt',
    `${path} is damaged: it differs from what the backup contained when it was made. Nothing was restored. Use another backup.`,
  );
}

export interface Target extends FileContent {
  from: string;
  to: string;
}

/** Returns the files that do not exist. The paths must not exist. */
async function withoutObstacles(paths: readonly string[], targets: readonly Target[]): Promise<Target[]> {
  const inTheWay: string[] = [];
  for (const path of paths) {
    if ((await infoOf(path)) !== undefined) inTheWay.push(path);
  }
  const missing: Target[] = [];
  for (const target of targets) {
    if ((await infoOf(target.to)) === undefined) missing.push(target);
    else if ((await hashOfFile(target.to)).sha256 !== target.sha256) inTheWay.push(target.to);
  }
  if (inTheWay.length === 0) return missing;
  throw new LonghaulError(
    'usage',
    `Nothing was restored, because these files exist and would be overwritten: ${inTheWay.join(', ')}. Move them away first. --without-settings restores only the database and its blobs.`,
  );
}
