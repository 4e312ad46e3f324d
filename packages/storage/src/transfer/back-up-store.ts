import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeaseOwner } from '@longhaul/core';
import { blobFiles } from '../blobs/blob-files.ts';
import { createFileBlobStore } from '../blobs/file-blob-store.ts';
import {
  type BackupOptions,
  type BackupReport,
  copyFiles,
  makeEmptyFolder,
  writeManifest,
} from '../maintenance/backup/back-up.ts';
import { hashOfFile } from '../maintenance/backup/copied-file.ts';
import { BLOBS, DATABASE, FILES, type Manifest } from '../maintenance/backup/manifest.ts';
import { openSqliteStore } from '../sqlite/open-sqlite-store.ts';
import { copyStore, type TransferOptions } from './copy-store.ts';
import { openSqliteTables } from './sqlite-tables.ts';

/**
 * Copies a store to a new folder, as `backUpStorage` does for an SQLite database: the sessions are in an SQLite database,
 * so that they can be restored to a store of any kind. Other programs may use the store in the meantime: the copy has the
 * state of one moment.
 *
 * @throws {LonghaulError} `usage` if the folder is not empty; `store_full`, `store_readonly`; `store_corrupt` if rows are
 * not the same in the copy.
 */
export async function backUpStore(
  source: TransferOptions['source'],
  folder: string,
  { files, now = Date.now }: BackupOptions,
): Promise<BackupReport> {
  await makeEmptyFolder(folder);
  const createdAt = new Date(now()).toISOString();
  const copied = await copyFiles(files, join(folder, FILES));
  const { missing, damaged } = await copySessions(source, folder);
  const database = await hashOfFile(join(folder, DATABASE));
  const blobs = { count: 0, bytes: 0 };
  for await (const { size } of blobFiles(join(folder, BLOBS))) {
    blobs.count += 1;
    blobs.bytes += size;
  }
  const manifest: Manifest = { format: 1, createdAt, database, files: copied, blobs };
  await writeManifest(folder, manifest);
  return { ...manifest, missing, damaged };
}

async function copySessions(source: TransferOptions['source'], folder: string) {
  const path = join(folder, DATABASE);
  await (await openSqliteStore({ path }))[Symbol.asyncDispose]();
  const blobs = createFileBlobStore(join(folder, BLOBS));
  // Nobody else knows the new database.
  const isAlive = (_owner: LeaseOwner) => false;
  const tables = openSqliteTables(path, { isAlive });
  try {
    const report = await copyStore({ source, target: { tables, blobs }, isSnapshot: true });
    return report.blobs;
  } finally {
    await tables[Symbol.asyncDispose]();
    for (const suffix of ['-wal', '-shm']) await rm(path + suffix, { force: true });
    await rm(join(folder, BLOBS, 'tmp'), { recursive: true, force: true });
    await using file = await open(path, 'r+');
    await file.sync();
  }
}
