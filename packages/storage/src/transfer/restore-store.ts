import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { createFileBlobStore } from '../blobs/file-blob-store.ts';
import { copyPrivately } from '../maintenance/backup/copied-file.ts';
import { BLOBS, DATABASE } from '../maintenance/backup/manifest.ts';
import {
  checkedBackup,
  type RestoreOptions,
  type RestoreReport,
  restoreFiles,
} from '../maintenance/backup/restore.ts';
import type { TreePacks } from '../maintenance/tree-packs.ts';
import { openSqliteStore } from '../sqlite/open-sqlite-store.ts';
import { copyStore, type TransferSide } from './copy-store.ts';
import { openSqliteTables } from './sqlite-tables.ts';
import type { StoreTables } from './store-tables.ts';

export interface RestoreStoreOptions extends RestoreOptions {
  /** Reads the trees in blobs. */
  packsIn: (blobs: BlobStore) => TreePacks;
}

/**
 * Restores a backup to a store without other sessions. Checks the whole backup first, and overwrites nothing. If it is
 * interrupted, it can be repeated.
 *
 * @throws {LonghaulError} As `restoreStorage`; `usage` if the store has other sessions.
 */
export async function restoreStore(
  folder: string,
  target: TransferSide,
  { pathOf, packsIn }: RestoreStoreOptions,
): Promise<RestoreReport> {
  const { manifest, files } = await checkedBackup(folder, { pathOf });
  const blobs = createFileBlobStore(join(folder, BLOBS));
  await using copy = await openCopy(join(folder, DATABASE));
  await assertNoOthers(copy.tables, target.tables);
  const restored = await restoreFiles(files);
  const source = { tables: copy.tables, blobs, packs: packsIn(blobs) };
  const report = await copyStore({ source, target, isSnapshot: true });
  const { copied, present } = report.blobs;
  return { createdAt: manifest.createdAt, blobs: copied + present, files: restored };
}

/** Migrates a copy, because the backup may be of an older version, and is not changed. */
async function openCopy(path: string): Promise<AsyncDisposable & { tables: StoreTables }> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-restore-'));
  const dispose = () => rm(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, DATABASE);
    await copyPrivately(path, copy);
    await (await openSqliteStore({ path: copy }))[Symbol.asyncDispose]();
    const tables = openSqliteTables(copy, { isAlive: () => false });
    return {
      tables,
      async [Symbol.asyncDispose]() {
        await tables[Symbol.asyncDispose]();
        await dispose();
      },
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** A restoration that was interrupted has stored some of the sessions. */
async function assertNoOthers(backup: StoreTables, target: StoreTables): Promise<void> {
  const known = new Map((await backup.listHeads()).map((head) => [head.id, head]));
  const others = (await target.listHeads()).filter(
    ({ id, lastSequence, lastEvent }) =>
      known.get(id)?.lastSequence !== lastSequence || known.get(id)?.lastEvent !== lastEvent,
  );
  if (others.length === 0) return;
  throw new LonghaulError(
    'usage',
    `Nothing was restored, because ${target.place} has sessions that are not in the backup, or that have changed since: ${others.length}. Create an empty database, or name another schema with ?schema=NAME in storage.url.`,
  );
}
