import { link, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { databaseProblem } from '../sqlite/database-problem.ts';
import { lockHolders } from '../sqlite/lock-holders.ts';
import { folderError } from '../sqlite/sqlite-errors.ts';
import { firstValue, numberOf, openToRead } from './open-file.ts';
import { sizeOf } from './place.ts';
import { type SavedTable, salvage } from './salvage.ts';

export type Examination =
  | { status: 'missing' }
  | { status: 'sound' }
  /** Of another program, or of a newer version of this one: nothing is wrong with it. */
  | { status: 'unusable'; error: LonghaulError }
  | { status: 'damaged'; problems: string[] };

export interface RepairReport {
  tables: SavedTable[];
  /** Where the damaged file is now; its log, if it had one, stands beside it. Absent if it was left where it is. */
  movedTo?: string;
}

const PROBLEMS = 20;

/** What SQLite says of the file: its pages, or with `deep` its indexes too; and whether every row has those it belongs to. */
export async function examineDatabase(
  path: string,
  { deep = false }: { deep?: boolean } = {},
): Promise<Examination> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined || info.size === 0) return { status: 'missing' };
  try {
    const database = openToRead(path);
    try {
      const check = `PRAGMA ${deep ? 'integrity_check' : 'quick_check'}(${PROBLEMS})`;
      const found = database
        .prepare(check)
        .all()
        .map((row) => String(Object.values(row)[0]));
      if (found[0] !== 'ok') return { status: 'damaged', problems: found };
      const facts = {
        version: numberOf(database, 'PRAGMA user_version'),
        applicationId: numberOf(database, 'PRAGMA application_id'),
        hasTables: numberOf(database, 'SELECT count(*) FROM sqlite_master') > 0,
      };
      const error = databaseProblem({ path, ...facts });
      if (error !== undefined) return { status: 'unusable', error };
      const orphan = firstValue(database, 'SELECT "table" FROM pragma_foreign_key_check');
      if (orphan === undefined) return { status: 'sound' };
      return { status: 'damaged', problems: [`rows of ${orphan} belong to rows that are not there`] };
    } finally {
      database.close();
    }
  } catch (error) {
    return { status: 'damaged', problems: [error instanceof Error ? error.message : String(error)] };
  }
}

/**
 * Saves what can be read of a damaged database into a new one that takes its place. The damaged file is moved aside, never changed and never
 * deleted. Where nothing at all can be read, it is left where it is.
 *
 * @throws {LonghaulError} `store_unavailable` while another process has the database open; `store_full`, `store_readonly`.
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
    const tables = await salvage(path, target);
    if (tables.every(({ saved }) => saved === 0)) return { tables };
    return { tables, movedTo: await exchange(path, { target, now: now() }) };
  } catch (error) {
    throw error instanceof LonghaulError ? error : folderError(path, error);
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(target + suffix, { force: true });
  }
}

/**
 * Moves the database and its log aside, so that the next run begins with a new one. Answers where it is now.
 *
 * @throws {LonghaulError} As `repairDatabase`.
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

/** The old log must not meet the new file, and at no moment is there no database: whoever opens one then would make an empty one. */
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
    `The database ${path} is in use by process ${holder.pid} (${holder.program}). End it first: what it writes meanwhile would be lost.`,
    { data: { path, pid: holder.pid, program: holder.program } },
  );
}

/** Two copies, one to read from and the new one. */
async function assertRoom(path: string): Promise<void> {
  const needed = 2 * ((await sizeOf(path)) + (await sizeOf(`${path}-wal`)));
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize >= needed) return;
  throw new LonghaulError(
    'store_full',
    `To repair ${path}, ${Math.ceil(needed / 1e6)} MB must be free on its disk; ${Math.floor((bavail * bsize) / 1e6)} MB are.`,
    { data: { path, neededBytes: needed, freeBytes: bavail * bsize } },
  );
}
