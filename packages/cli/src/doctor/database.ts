import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '@longhaul/core/config';
import { databasePath } from '../compose/open-storage.ts';
import { formatBytes } from '../render/format.ts';
import type { Check } from './check.ts';

const NAME = 'database';

/** Looks at the database without changing it: one that is not there yet is not made. */
export async function checkDatabase({ url }: Config['storage']): Promise<Check> {
  if (url.startsWith('memory:')) {
    return { name: NAME, status: 'ok', detail: 'in memory: sessions are gone when the program ends' };
  }
  const path = databasePath(url);
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return checkFolder(path);
  const verdict = await quickCheck(path);
  if (verdict === 'ok') {
    return { name: NAME, status: 'ok', detail: `${path}, ${formatBytes(info.size)}, sound` };
  }
  return {
    name: NAME,
    status: 'failed',
    detail: `${path}: ${verdict}`,
    remedy: `Move it aside to start anew, or save what can be read: sqlite3 ${path} .recover`,
  };
}

/** What SQLite says of the file: `ok`, or what is wrong. */
async function quickCheck(path: string): Promise<string> {
  const { DatabaseSync } = await import('node:sqlite');
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const row = database.prepare('PRAGMA quick_check(1)').get();
      return String(row?.['quick_check']);
    } finally {
      database.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function checkFolder(path: string): Promise<Check> {
  let folder = dirname(path);
  while (!(await exists(folder)) && dirname(folder) !== folder) folder = dirname(folder);
  const isWritable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (isWritable) return { name: NAME, status: 'ok', detail: `${path}, made by the first run` };
  return {
    name: NAME,
    status: 'failed',
    detail: `${folder} cannot be written, so ${path} cannot be made`,
    remedy: 'Allow this user to write there, or set storage.url in longhaul.yml.',
  };
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
