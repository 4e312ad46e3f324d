import { open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LonghaulError } from '@longhaul/protocol';
import { mapFileError } from '../../blobs/blob-errors.ts';
import { blobFiles, blobPath, infoOf } from '../../blobs/blob-files.ts';
import { makePrivateFile, makePrivateFolder, PRIVATE_FILE_MODE } from '../../shared/private-folder.ts';
import { mapSqliteError } from '../../sqlite/sqlite-errors.ts';
import { namedBlobs } from '../named-blobs.ts';
import { openToRead } from '../open-file.ts';
import type { StoragePlace } from '../place.ts';
import { examineDatabase } from '../repair-database.ts';
import { copyPrivately, hashOfFile } from './copied-file.ts';
import { type BackedUpFile, BLOBS, DATABASE, FILES, MANIFEST, type Manifest } from './manifest.ts';

export interface BackupOptions {
  /** Files to keep with the store. `name` is a relative path. */
  files: readonly { name: string; path: string }[];
  now?: () => number;
}

export interface BackupReport extends Manifest {
  /** Blobs to which sessions refer, and which the store does not have. */
  missing: string[];
  /** Blobs whose content does not match their name. They are not copied. */
  damaged: string[];
}

/**
 * Copies the database, its blobs and the given files to a new folder, and checks the copies. Other processes may use
 * the store in the meantime: the copy of the database has the state of one moment.
 *
 * @throws {LonghaulError} `usage` if the folder is not empty; `store_full`, `store_readonly`, `store_corrupt`.
 */
export async function backUpStorage(
  place: StoragePlace,
  folder: string,
  { files, now = Date.now }: BackupOptions,
): Promise<BackupReport> {
  await makeEmptyFolder(folder);
  const createdAt = new Date(now()).toISOString();
  const database = await copyDatabase(place.path, join(folder, DATABASE));
  const copied = await copyFiles(files, join(folder, FILES));
  // Blobs come after the database, so that none is missing that the database names.
  const blobs = await copyBlobs(place.blobs, join(folder, BLOBS));
  const { count, bytes, damaged } = blobs;
  const missing = await missingBlobs(folder, { source: place.blobs, known: damaged });
  const manifest: Manifest = { format: 1, createdAt, database, files: copied, blobs: { count, bytes } };
  await writeManifest(folder, manifest);
  return { ...manifest, missing, damaged };
}

export async function makeEmptyFolder(folder: string): Promise<void> {
  try {
    await makePrivateFolder(folder);
  } catch (error) {
    throw mapFileError(error, { path: folder });
  }
  if ((await readdir(folder)).length === 0) return;
  throw new LonghaulError('usage', `${folder} is not empty. Name a new folder for each backup.`);
}

async function copyDatabase(path: string, copy: string): Promise<Manifest['database']> {
  await makePrivateFile(copy);
  try {
    using database = new DatabaseSync(path, { timeout: 5_000, readOnly: true });
    database.prepare('VACUUM INTO ?').run(copy);
  } catch (error) {
    throw mapSqliteError(error, path);
  }
  await using file = await open(copy, 'r+');
  await file.sync();
  const examined = await examineDatabase(copy);
  if (examined.status === 'unusable') throw examined.error;
  if (examined.status !== 'sound') throw damagedCopy(path);
  for (const suffix of ['-wal', '-shm']) await rm(copy + suffix, { force: true });
  return await hashOfFile(copy);
}

function damagedCopy(path: string): LonghaulError {
  return new LonghaulError(
    'store_corrupt',
    `${path} contains damaged pages, so its copy is damaged too. Use longhaul doctor --deep and longhaul repair, then make the backup again.`,
  );
}

export async function copyFiles(files: BackupOptions['files'], folder: string): Promise<BackedUpFile[]> {
  const copied: BackedUpFile[] = [];
  for (const { name, path } of files) {
    copied.push({ path: name, ...(await copyPrivately(path, join(folder, name))) });
  }
  return copied;
}

async function copyBlobs(from: string, to: string) {
  const copied = { count: 0, bytes: 0, damaged: [] as string[] };
  for await (const { id, path } of blobFiles(from)) {
    const copy = await copyIfPresent(path, blobPath(to, id));
    // Garbage collection may have removed it.
    if (copy === undefined) continue;
    if (copy.sha256 === id) {
      copied.count += 1;
      copied.bytes += copy.bytes;
    } else {
      copied.damaged.push(id);
      await rm(blobPath(to, id));
    }
  }
  return copied;
}

/** Returns undefined if there is no such file any more. */
async function copyIfPresent(from: string, to: string) {
  if ((await infoOf(from)) === undefined) return undefined;
  try {
    return await copyPrivately(from, to);
  } catch (error) {
    if ((await infoOf(from)) === undefined) return undefined;
    throw error;
  }
}

/** @param options.known Blobs that are left out anyway. */
async function missingBlobs(
  folder: string,
  { source, known }: { source: string; known: readonly string[] },
): Promise<string[]> {
  const database = openToRead(join(folder, DATABASE));
  const missing: string[] = [];
  try {
    for (const id of namedBlobs(database).blobs.keys()) {
      const copy = blobPath(join(folder, BLOBS), id);
      if (known.includes(id) || (await infoOf(copy)) !== undefined) continue;
      if ((await copyIfPresent(blobPath(source, id), copy)) === undefined) missing.push(id);
    }
  } finally {
    database.close();
  }
  return missing;
}

/** A folder with a manifest is a complete backup. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  await writeFile(join(folder, MANIFEST), text, { mode: PRIVATE_FILE_MODE, flag: 'wx', flush: true });
}
