import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '@longhaul/config';
import { isOwnerAlive } from '@longhaul/core';
import type { Contents } from '@longhaul/storage/maintenance';
import { blobFolder, databasePath, isPostgres } from '../compose/storage-place.ts';
import { formatBytes, plural, shortId } from '../render/format.ts';
import { describeBlobs } from './blobs.ts';
import { type Check, failedCheck } from './check.ts';
import { checkPostgres } from './postgres.ts';
import { problemList } from './problem-list.ts';

const NAME = 'database';
/** The number of blobs that are compared with their hash without `--deep`. */
const SAMPLE = 20;
const BLOB_REMEDY =
  'Restore the files from a backup of the folder blobs, or delete damaged ones: they are written again when their content is stored again.';
const LARGE_LOG_BYTES = 64_000_000;
const LITTLE_ROOM_BYTES = 200_000_000;

/** Checks the database, its sessions and its blobs. Changes nothing, and creates no database. */
export async function checkDatabase(
  storage: Config['storage'],
  { deep = false, secret = null }: { deep?: boolean; secret?: string | null } = {},
): Promise<Check[]> {
  const { url } = storage;
  if (url.startsWith('memory:')) {
    return [{ name: NAME, status: 'ok', detail: 'in memory: sessions are lost when the program ends' }];
  }
  if (isPostgres(url)) return checkPostgres(storage, { deep, secret });
  const path = databasePath(url);
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return [await checkFolder(path)];
  if (info.isDirectory()) return [folderInstead(path)];
  const { examineDatabase } = await import('@longhaul/storage/maintenance');
  const examined = await examineDatabase(path, { deep });
  switch (examined.status) {
    case 'damaged':
      return examined.isUsable
        ? [damagedRows(path, examined.problems), ...(await checkContents(path, deep))]
        : [damaged(path, examined.problems)];
    case 'unusable':
      return [failedCheck(NAME, examined.error)];
    case 'missing':
      return [{ name: NAME, status: 'ok', detail: `${path}, empty: created by the first run` }];
    case 'sound':
      return [await describe(path, info.size), ...(await checkContents(path, deep))];
  }
}

function damaged(path: string, problems: readonly string[]): Check {
  return {
    name: NAME,
    status: 'failed',
    detail: `${path} is damaged: ${problemList(problems)}`,
    remedy:
      'longhaul repair saves what can be read and renames the damaged file; with --move-aside it only renames it. Or restore a backup.',
  };
}

/** The file is sound, but some of its content changed on disk. */
function damagedRows(path: string, problems: readonly string[]): Check {
  return {
    name: NAME,
    status: 'damaged',
    detail: `${path} contains damaged rows. ${problemList(problems)}`,
    remedy:
      'The rest can be used: a line that reports the damage replaces a damaged part. Restore a backup, or accept the loss: longhaul repair',
  };
}

async function describe(path: string, bytes: number): Promise<Check> {
  const log = (await stat(`${path}-wal`).catch(() => undefined))?.size ?? 0;
  const { bavail, bsize } = await statfs(dirname(path));
  const withLog = log === 0 ? '' : ` and ${formatBytes(log)} of log`;
  const detail = `${path}, ${formatBytes(bytes)}${withLog}, sound; ${formatBytes(bavail * bsize)} of the disk are free`;
  if (!(await isWritable(path)))
    return {
      name: NAME,
      status: 'failed',
      detail: `${detail}; it is read-only: sessions can be shown, searched and exported`,
      remedy:
        'To run tasks, let this user write the file and its folder, or set storage.url in longhaul.yml.',
    };
  if (bavail * bsize < LITTLE_ROOM_BYTES)
    return {
      name: NAME,
      status: 'missing',
      detail,
      remedy: 'Free disk space: a run stops when its disk is full. longhaul gc removes unneeded data.',
    };
  if (log > LARGE_LOG_BYTES)
    return {
      name: NAME,
      status: 'missing',
      detail,
      remedy:
        'The log cannot be emptied while a program reads the database all the time. End that program, then run: longhaul gc',
    };
  return { name: NAME, status: 'ok', detail };
}

async function isWritable(path: string): Promise<boolean> {
  return Promise.all([access(path, constants.W_OK), access(dirname(path), constants.W_OK)]).then(
    () => true,
    () => false,
  );
}

async function checkContents(path: string, deep: boolean): Promise<Check[]> {
  const { examineContents } = await import('@longhaul/storage/maintenance');
  const compareBlobs = deep ? Number.POSITIVE_INFINITY : SAMPLE;
  const place = { path, blobs: blobFolder(path) };
  const packs = deep ? (await import('../compose/tree-packs.ts')).treePacks(place.blobs) : undefined;
  const contents = await examineContents(place, { isAlive: isOwnerAlive, compareBlobs, packs });
  return [describeSessions(contents), describeBlobs(contents, BLOB_REMEDY), ...describeFiles(contents)];
}

function describeSessions({ sessions, interrupted, unfinished }: Contents): Check {
  const name = 'sessions';
  const [first] = interrupted;
  if (first === undefined && unfinished > 0)
    return {
      name,
      status: 'missing',
      detail: `${plural(sessions, 'session')}, none interrupted; ${plural(unfinished, 'unfinished import, copy or deletion', 'unfinished imports, copies or deletions')}, which nothing shows`,
      remedy:
        'Unless it is still in progress, a program was killed: import the file again, or fork the session again. longhaul gc removes the rest after an hour.',
    };
  if (first === undefined)
    return { name, status: 'ok', detail: `${plural(sessions, 'session')}, none interrupted` };
  const open = interrupted.reduce((sum, { openParts }) => sum + openParts, 0);
  const ids = interrupted.slice(0, 3).map(({ id }) => shortId(id));
  return {
    name,
    status: 'missing',
    detail: `${plural(sessions, 'session')}; ${interrupted.length} interrupted, with ${plural(open, 'part')} open: ${ids.join(', ')}${interrupted.length > ids.length ? ', …' : ''}`,
    remedy: `Nothing is lost. To resume one: longhaul resume ${shortId(first.id)} --all`,
  };
}

/** A store without recorded files needs no line. */
function describeFiles({ files: { trees, packs, places } }: Contents): Check[] {
  const name = 'files';
  if (trees === 0) return [];
  const states = plural(trees, 'recorded state');
  if (places.length > 0)
    return [
      {
        name,
        status: 'damaged',
        detail: `of ${states}, ${places.length} cannot be restored completely: ${problemList(places)}`,
        remedy:
          'These sessions can still be used, but longhaul revert and fork --files cannot restore these states. Restore the files from a backup of the folder blobs.',
      },
    ];
  const how =
    packs === undefined
      ? 'none missing; --deep reads all'
      : `in ${plural(packs, 'blob')}, all with the right hash`;
  return [{ name, status: 'ok', detail: `${states}, ${how}` }];
}

function folderInstead(path: string): Check {
  return {
    name: NAME,
    status: 'failed',
    detail: `${path} is a folder`,
    remedy: 'Name a file in it with storage.url: sqlite:PATH.',
  };
}

async function checkFolder(path: string): Promise<Check> {
  const { nearestFolder } = await import('@longhaul/storage/sqlite');
  const { path: folder, isKernels } = await nearestFolder(dirname(path));
  const isWritable =
    !isKernels &&
    (await access(folder, constants.W_OK).then(
      () => true,
      () => false,
    ));
  if (isWritable) return { name: NAME, status: 'ok', detail: `${path}, created by the first run` };
  return {
    name: NAME,
    status: 'failed',
    detail: `${folder} cannot be written, so ${path} cannot be created`,
    remedy: 'Let this user write there, or set storage.url in longhaul.yml.',
  };
}
