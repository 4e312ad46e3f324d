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
  const problem = await problemOf(path);
  if (problem !== undefined) return { name: NAME, status: 'failed', ...problem };
  const log = await stat(`${path}-wal`).catch(() => undefined);
  const withLog = log === undefined || log.size === 0 ? '' : ` and ${formatBytes(log.size)} of log`;
  return { name: NAME, status: 'ok', detail: `${path}, ${formatBytes(info.size)}${withLog}, sound` };
}

/** What SQLite says of the file, and whether this program can use it. */
async function problemOf(path: string): Promise<Pick<Check, 'detail' | 'remedy'> | undefined> {
  const remedy = `Move it aside to start anew, or save what can be read: sqlite3 ${path} .recover`;
  const [{ DatabaseSync }, { databaseProblem }] = await Promise.all([
    import('node:sqlite'),
    import('@longhaul/storage/sqlite'),
  ]);
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const ask = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
      const verdict = String(ask('PRAGMA quick_check(1)'));
      if (verdict !== 'ok') return { detail: `${path}: ${verdict}`, remedy };
      const problem = databaseProblem({
        path,
        version: Number(ask('PRAGMA user_version')),
        applicationId: Number(ask('PRAGMA application_id')),
        hasTables: Number(ask('SELECT count(*) FROM sqlite_master')) > 0,
      });
      return problem && { detail: problem.message };
    } finally {
      database.close();
    }
  } catch (error) {
    return { detail: `${path}: ${error instanceof Error ? error.message : String(error)}`, remedy };
  }
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
