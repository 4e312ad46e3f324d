import { link, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { LonghaulError } from '@longhaul/protocol';
import type { FoundDamage } from '../shared/damaged-rows.ts';
import { databaseProblem } from '../sqlite/database-problem.ts';
import { lockHolders } from '../sqlite/lock-holders.ts';
import { folderError } from '../sqlite/sqlite-errors.ts';
import { lostRows, lostText } from './lost-rows.ts';
import { firstValue, numberOf, openToRead } from './open-file.ts';
import { sizeOf } from './place.ts';
import { type SavedTable, salvage } from './salvage.ts';

export type Examination =
  | { status: 'missing' }
  | { status: 'sound' }
  /** A database of another program or of a newer version of this one. It is not damaged. */
  | { status: 'unusable'; error: LonghaulError }
  /** `lost`: damaged rows. `isUsable`: nothing else is damaged, so that sessions work without these rows. */
  | { status: 'damaged'; problems: string[]; lost: FoundDamage[]; isUsable: boolean };

export interface RepairReport {
  tables: SavedTable[];
  /** The lost and changed contents, as far as their places are known. */
  lost: FoundDamage[];
  /** New path of the damaged file; its log, if any, is moved with it. Absent if the file was left in place. */
  movedTo?: string;
}

const PROBLEMS = 20;

/**
 * Runs SQLite's checks on the file: its pages, with `deep` also its indexes, and its foreign keys. With `deep`, also
 * compares every row with its checksum.
 */
export async function examineDatabase(
  path: string,
  { deep = false }: { deep?: boolean } = {},
): Promise<Examination> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return { status: 'missing' };
  if (info.size === 0)
    return { status: 'damaged', problems: ['it is empty (0 bytes)'], lost: [], isUsable: false };
  try {
    using database = openToRead(path);
    const torn = tornPages(database, deep);
    const error = torn.length === 0 ? unusable(database, path) : undefined;
    if (error !== undefined) return { status: 'unusable', error };
    const problems = torn.length === 0 ? orphans(database) : torn;
    const lost = deep ? await lostRows(database) : [];
    if (problems.length === 0 && lost.length === 0) return { status: 'sound' };
    const isUsable = problems.length === 0 && lost.every(({ id }) => id !== '*');
    return { status: 'damaged', problems: [...problems, ...lost.map(lostText)], lost, isUsable };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { status: 'damaged', problems: [problem], lost: [], isUsable: false };
  }
}

function tornPages(database: DatabaseSync, deep: boolean): string[] {
  const check = `PRAGMA ${deep ? 'integrity_check' : 'quick_check'}(${PROBLEMS})`;
  const found = database
    .prepare(check)
    .all()
    .map((row) => String(Object.values(row)[0]));
  return found[0] === 'ok' ? [] : found;
}

function orphans(database: DatabaseSync): string[] {
  const orphan = firstValue(database, 'SELECT "table" FROM pragma_foreign_key_check');
  return orphan === undefined ? [] : [`rows in table ${orphan} refer to rows that do not exist`];
}

function unusable(database: DatabaseSync, path: string): LonghaulError | undefined {
  return databaseProblem({
    path,
    version: numberOf(database, 'PRAGMA user_version'),
    applicationId: numberOf(database, 'PRAGMA application_id'),
    hasTables: numberOf(database, 'SELECT count(*) FROM sqlite_master') > 0,
  });
}

/**
 * Copies every readable row of a damaged database into a new one that takes its place. The damaged file is moved aside;
 * it is never changed or deleted. If nothing can be read, it is left in place.
 *
 * @throws {LonghaulError} `store_unavailable` while another process has the database open; `store_full`,
 * `store_readonly`.
 */
export async function repairDatabase(
  path: string,
  { now = Date.now }: { now?: () => number } = {},
): Promise<RepairReport> {
  assertUnused(path);
  await assertRoom(path);
  const target = `${path}.repairing`;
  try {
    await rm(target, { force: true });
    const salvaged = await salvage(path, target);
    if (salvaged.tables.every(({ saved }) => saved === 0)) return salvaged;
    return { ...salvaged, movedTo: await exchange(path, { target, now: now() }) };
  } catch (error) {
    throw error instanceof LonghaulError ? error : folderError(path, error);
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(target + suffix, { force: true });
  }
}

/**
 * Moves the database and its log aside, so that the next run starts with a new one. Returns the new path.
 *
 * @throws {LonghaulError} `store_unavailable` while another process has the database open; `store_full`,
 * `store_readonly`.
 */
export async function moveDatabaseAside(
  path: string,
  { now = Date.now }: { now?: () => number } = {},
): Promise<string> {
  assertUnused(path);
  try {
    return await exchange(path, { now: now() });
  } catch (error) {
    throw folderError(path, error);
  }
}

/**
 * The old log is moved before the new file gets its name, because SQLite would apply it to the new file. With a
 * `target`, a file exists at `path` at every moment where the file system has hard links; otherwise a process that
 * opens it in the meantime would create an empty one.
 */
async function exchange(path: string, { target, now }: { target?: string; now: number }): Promise<string> {
  const aside = `${path}.damaged-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  if (target !== undefined) await link(path, aside).catch(() => rename(path, aside));
  else await rename(path, aside);
  for (const suffix of ['-wal', '-shm']) await renameIfThere(path + suffix, aside + suffix);
  if (target !== undefined) await rename(target, path);
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
  return aside;
}

async function renameIfThere(from: string, to: string): Promise<void> {
  if ((await stat(from).catch(() => undefined)) !== undefined) await rename(from, to);
}

function assertUnused(path: string): void {
  const [holder] = lockHolders(path);
  if (holder === undefined) return;
  throw new LonghaulError(
    'store_unavailable',
    `The database ${path} is in use by process ${holder.pid} (${holder.program}). Stop that process first: its writes during the repair would be lost.`,
    { data: { path, pid: holder.pid, program: holder.program } },
  );
}

/** A repair needs space for two copies: one to read from and the new database. */
async function assertRoom(path: string): Promise<void> {
  const needed = 2 * ((await sizeOf(path)) + (await sizeOf(`${path}-wal`)));
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize >= needed) return;
  throw new LonghaulError(
    'store_full',
    `Repairing ${path} needs ${Math.ceil(needed / 1e6)} MB of free space on its disk; only ${Math.floor((bavail * bsize) / 1e6)} MB are free.`,
    { data: { path, neededBytes: needed, freeBytes: bavail * bsize } },
  );
}
