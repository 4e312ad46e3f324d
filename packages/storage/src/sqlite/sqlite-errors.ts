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
 * The primary result code behind an error of either driver, or undefined if SQLite did not throw it. Drizzle wraps what it passes on;
 * Node names the number `errcode`, Bun `errno`.
 */
export function sqliteCode(thrown: unknown): number | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const number = Reflect.get(error, 'errcode') ?? Reflect.get(error, 'errno');
    if (typeof number === 'number' && number > 0) return number & 0xff;
  }
  return undefined;
}

/** One error for whatever SQLite, or code inside a transaction, threw. Decided by numbers, never by text. */
export function mapSqliteError(thrown: unknown, path: string): LonghaulError {
  if (thrown instanceof LonghaulError) return thrown;
  const code = sqliteCode(thrown);
  const error = code === undefined ? undefined : errorOfCode(code, path, thrown);
  return error ?? toLonghaulError(thrown);
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
      return new LonghaulError('internal', 'A row that is there already was stored again.', options);
    default:
      return undefined;
  }
}

/** For a folder that could not be made. */
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
  const who = names === '' ? 'Look for a program that keeps it open' : `It is open in ${names}`;
  return new LonghaulError(
    'store_unavailable',
    `The database ${path} was locked by another program for longer than the busy timeout. ${who}; wait until that is done, or end it, ` +
      'and try again.',
    { ...options, data: { ...options.data, pids: holders.map(({ pid }) => pid) } },
  );
}

function storeFull(path: string, options: Options): LonghaulError {
  return new LonghaulError(
    'store_full',
    `The disk of ${path} is full; the last change was not stored, all before it is. Make room and go on.`,
    options,
  );
}

function storeReadonly(path: string, options: Options): LonghaulError {
  return new LonghaulError(
    'store_readonly',
    `${path} or its folder cannot be written. Allow this user to write there, or name another place with \`storage.url\`.`,
    options,
  );
}

function storeCorrupt(path: string, options: Options): LonghaulError {
  return new LonghaulError(
    'store_corrupt',
    `${path} is damaged, or not an SQLite database. It was left as it is. \`longhaul doctor\` says what is wrong; \`longhaul repair\` ` +
      'saves what can be read and moves the damaged file aside; with `--move-aside` it only moves it, to start anew. Copies made before ' +
      `a change of version stand beside it as ${path}.v*.backup.`,
    options,
  );
}

function unreachable(path: string, options: Options): LonghaulError {
  return new LonghaulError(
    'store_unavailable',
    `The database ${path} could not be opened, read or written. Check that it is a file on a disk that works, or name another place with \`storage.url\`.`,
    options,
  );
}

/** The folder, and the file if there is one. */
function canWrite(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false; // The answer of access(2) is its error.
  }
}

/** A shared-memory file that cannot grow is reported as an I/O error, not as a full disk. */
function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < 128 * 1024;
  } catch {
    return false; // The disk is gone altogether: an I/O error it stays.
  }
}
