import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '@longhaul/config';
import { isOwnerAlive } from '@longhaul/core';
import type { Contents } from '@longhaul/storage/maintenance';
import { blobFolder, databasePath } from '../compose/open-storage.ts';
import { formatBytes, plural, shortId } from '../render/format.ts';
import { type Check, failedCheck } from './check.ts';

const NAME = 'database';
/** So many blobs are compared with their hash, unless all are asked for. */
const SAMPLE = 20;
const LARGE_LOG_BYTES = 64_000_000;
const LITTLE_ROOM_BYTES = 200_000_000;

/** Looks at the database, its sessions and its blobs without changing them: one that is not there yet is not made. */
export async function checkDatabase(
  { url }: Config['storage'],
  { deep = false }: { deep?: boolean } = {},
): Promise<Check[]> {
  if (url.startsWith('memory:')) {
    return [{ name: NAME, status: 'ok', detail: 'in memory: sessions are gone when the program ends' }];
  }
  const path = databasePath(url);
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return [await checkFolder(path)];
  if (info.isDirectory()) return [folderInstead(path)];
  const { examineDatabase } = await import('@longhaul/storage/maintenance');
  const examined = await examineDatabase(path, { deep });
  switch (examined.status) {
    case 'damaged':
      return [damaged(path, examined.problems)];
    case 'unusable':
      return [failedCheck(NAME, examined.error)];
    case 'missing':
      return [{ name: NAME, status: 'ok', detail: `${path}, empty: made by the first run` }];
    case 'sound':
      return [await describe(path, info.size), ...(await checkContents(path, deep))];
  }
}

function damaged(path: string, problems: readonly string[]): Check {
  return {
    name: NAME,
    status: 'failed',
    detail: `${path} is damaged: ${problems[0] ?? 'unknown'}`,
    remedy:
      'longhaul repair saves what can be read and moves the damaged file aside; with --move-aside it only moves it. Or put back a copy.',
  };
}

async function describe(path: string, bytes: number): Promise<Check> {
  const log = (await stat(`${path}-wal`).catch(() => undefined))?.size ?? 0;
  const { bavail, bsize } = await statfs(dirname(path));
  const withLog = log === 0 ? '' : ` and ${formatBytes(log)} of log`;
  const detail = `${path}, ${formatBytes(bytes)}${withLog}, sound; ${formatBytes(bavail * bsize)} of disk are free`;
  if (bavail * bsize < LITTLE_ROOM_BYTES)
    return {
      name: NAME,
      status: 'missing',
      detail,
      remedy: 'Make room: a run stops when its disk is full. longhaul gc drops what nobody needs.',
    };
  if (log > LARGE_LOG_BYTES)
    return {
      name: NAME,
      status: 'missing',
      detail,
      remedy:
        'A program that reads the database all the time keeps its log from being emptied. End that program, then: longhaul gc.',
    };
  return { name: NAME, status: 'ok', detail };
}

async function checkContents(path: string, deep: boolean): Promise<Check[]> {
  const { examineContents } = await import('@longhaul/storage/maintenance');
  const compareBlobs = deep ? Number.POSITIVE_INFINITY : SAMPLE;
  const place = { path, blobs: blobFolder(path) };
  const contents = await examineContents(place, { isAlive: isOwnerAlive, compareBlobs });
  return [describeSessions(contents), describeBlobs(contents, deep)];
}

function describeSessions({ sessions, interrupted }: Contents): Check {
  const name = 'sessions';
  const [first] = interrupted;
  if (first === undefined)
    return { name, status: 'ok', detail: `${plural(sessions, 'session')}, none left open by a dead run` };
  const open = interrupted.reduce((sum, { openParts }) => sum + openParts, 0);
  const ids = interrupted.slice(0, 3).map(({ id }) => shortId(id));
  return {
    name,
    status: 'missing',
    detail: `${plural(sessions, 'session')}; the run of ${interrupted.length} died, with ${plural(open, 'part')} open: ${ids.join(', ')}${interrupted.length > ids.length ? ', …' : ''}`,
    remedy: `Nothing is lost. Go on with one: longhaul resume ${shortId(first.id)}`,
  };
}

function describeBlobs({ blobs }: Contents, deep: boolean): Check {
  const name = 'blobs';
  const { named, compared, missing, damaged: broken, sessions } = blobs;
  const bad = missing.length + broken.length;
  if (bad === 0) {
    const how =
      deep || compared === named
        ? 'all as their hash says'
        : `${compared} compared with their hash; --deep compares all`;
    return {
      name,
      status: 'ok',
      detail: named === 0 ? 'none yet' : `${plural(named, 'blob')}, none missing, ${how}`,
    };
  }
  const ids = sessions.filter((id) => id !== '').slice(0, 3);
  return {
    name,
    status: 'missing',
    detail: `of ${named} named, ${missing.length} are missing and ${broken.length} damaged, in ${ids.map(shortId).join(', ')}`,
    remedy:
      'These sessions go on: the model is told what it cannot see. Put the files back from a copy of the folder blobs; delete damaged ones, and they are written again when they come up.',
  };
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
  if (isWritable) return { name: NAME, status: 'ok', detail: `${path}, made by the first run` };
  return {
    name: NAME,
    status: 'failed',
    detail: `${folder} cannot be written, so ${path} cannot be made`,
    remedy: 'Allow this user to write there, or set storage.url in longhaul.yml.',
  };
}
