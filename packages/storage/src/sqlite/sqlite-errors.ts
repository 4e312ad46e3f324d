import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { lockHolders } from './lock-holders.ts';

/** SQLite's primary result codes. Source: https://sqlite.org/rescode.html */
export const SQLITE = {
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  CONSTRAINT: 19,
  NOTADB: 26,
} as const;

/**
 * Returns the primary result code of an error from either driver, or undefined if SQLite did not throw it. Drizzle
 * wraps the original error. Node stores the code in `errcode`, Bun in `errno`.
 */
export function sqliteCode(thrown: unknown): number | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const number = Reflect.get(error, 'errcode') ?? Reflect.get(error, 'errno');
    if (typeof number === 'number' && number > 0) return number & 0xff;
  }
  return undefined;
}

/**
 * Maps anything that SQLite or code in a transaction threw to one error class, by result code and never by message
 * text.
 */
export function mapSqliteError(thrown: unknown, path: string): LonghaulError {
  if (thrown instanceof LonghaulError) return thrown;
  const code = isDamage(thrown) ? SQLITE.CORRUPT : sqliteCode(thrown);
  const error = code === undefined ? undefined : errorOfCode(code, path, thrown);
  return error ?? toLonghaulError(thrown);
}

/** Whether a read failed because of a damaged page, or of an integer that damage made too large for a number. */
export function isDamage(thrown: unknown): boolean {
  if (sqliteCode(thrown) === SQLITE.CORRUPT) return true;
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (Reflect.get(error, 'code') === 'ERR_OUT_OF_RANGE') return true;
  }
  return false;
}

function errorOfCode(code: number, path: string, cause: unknown): LonghaulError | undefined {
  const options = { cause, data: { path, sqliteCode: code } };
  switch (code) {
    case SQLITE.BUSY:
    case SQLITE.LOCKED:
      return storeLocked(path, options);
    case SQLITE.FULL:
      return storeFull(path, options);
    case SQLITE.READONLY:
    case SQLITE.PERM:
      return storeReadonly(path, options);
    case SQLITE.CORRUPT:
    case SQLITE.NOTADB:
      return storeCorrupt(path, options);
    case SQLITE.CANTOPEN:
      return canWrite(path) ? unreachable(path, options) : storeReadonly(path, options);
    case SQLITE.IOERR:
      return isDiskFull(path) ? storeFull(path, options) : unreachable(path, options);
    case SQLITE.CONSTRAINT:
      return new LonghaulError(
        'internal',
        'A row violates a constraint of the database, for example because its id already exists.',
        options,
      );
    default:
      return undefined;
  }
}

/** Maps an error of creating, moving or syncing files of the database. */
export function folderError(path: string, cause: unknown): LonghaulError {
  const code = cause instanceof Error ? Reflect.get(cause, 'code') : undefined;
  const options = { cause, data: { path } };
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return storeReadonly(path, options);
  if (code === 'ENOSPC' || code === 'EDQUOT') return storeFull(path, options);
  return unreachable(path, options);
}

type Options = { cause: unknown; data: { path: string; sqliteCode?: number } };

function storeLocked(path: string, options: Options): LonghaulError {
  const holders = lockHolders(path);
  const names = holders.map(({ pid, program }) => `process ${pid} (${program})`).join(', ');
  const who = names === '' ? 'Find the program that has it open' : `It is open in ${names}`;
  return new LonghaulError(
    'store_unavailable',
    `The database ${path} was locked by another program for longer than the busy timeout. ${who}. Wait until that program finishes or ` +
      'stop it, then retry.',
    { ...options, data: { ...options.data, pids: holders.map(({ pid }) => pid) } },
  );
}

function storeFull(path: string, options: Options): LonghaulError {
  return new LonghaulError(
    'store_full',
    `The disk of ${path} is full. The last change was not stored; all earlier changes were. Free some space and retry.`,
    options,
  );
}

function storeReadonly(path: string, options: Options): LonghaulError {
  return new LonghaulError(
    'store_readonly',
    `${path} or its folder cannot be written. Give this user write permission, or set \`storage.url\` to another location.`,
    options,
  );
}

function storeCorrupt(path: string, options: Options): LonghaulError {
  return new LonghaulError(
    'store_corrupt',
    `${path} is damaged or is not an SQLite database. It was not changed. \`longhaul doctor\` shows what is wrong. \`longhaul repair\` ` +
      'saves the readable data in a new database and moves the damaged file aside; with `--move-aside` it only moves the file, to start ' +
      `with an empty database. Backups made before migrations are in ${path}.v*.backup.`,
    options,
  );
}

function unreachable(path: string, options: Options): LonghaulError {
  return new LonghaulError(
    'store_unavailable',
    `The database ${path} could not be opened, read or written. Check that it is a file on a working disk, or set \`storage.url\` to another location.`,
    options,
  );
}

/** Checks the folder, and the file if it exists. */
function canWrite(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false; // access(2) reports missing permission as an error.
  }
}

/** SQLite reports a shared-memory file that cannot grow as an I/O error, not as a full disk. */
function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < 128 * 1024;
  } catch {
    return false; // The disk is not available, so this is an I/O error.
  }
}
