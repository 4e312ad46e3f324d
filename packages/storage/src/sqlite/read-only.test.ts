import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lacks } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { storeSession } from '../../test/stored-session.ts';
import { runProgram, smallDisk } from '../../test/support.ts';
import { examineDatabase } from '../maintenance/index.ts';
import { openSqliteStore } from './index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-read-only-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a database on a read-only disk', () => {
  const cases = [
    { name: 'without a log', hasLog: false },
    { name: 'with a log and without its index', hasLog: true },
  ];
  for (const { name, hasLog } of cases) {
    it(`can be read ${name}, and refuses writes`, async ({ skip }) => {
      await using disk = await smallDisk(4);
      if (disk === undefined) return lacks('mount', 'a file system cannot be mounted here', skip);
      const path = join(disk.path, 'store.db');
      await fill(path, hasLog);
      assert.equal((await runProgram('mount', ['-o', 'remount,ro', disk.path])).code, 0);
      {
        await using store = await openSqliteStore({ path, access: 'read' });
        assert.equal((await store.loadLog('s1')).messages.length, 2);
        assert.equal((await store.search('task of s1')).length, 1);
        await assert.rejects(store.updateSession('s1', { title: 'x' }), { code: 'store_readonly' });
      }
      assert.deepEqual(await examineDatabase(path, { deep: true }), { status: 'sound' });
      await assert.rejects(
        openSqliteStore({ path }).then(async (store) => {
          await using _store = store;
          await store.updateSession('s1', { title: 'x' });
        }),
        { code: 'store_readonly', message: /cannot be written/ },
      );
    });
  }
});

/** Stores a session; with `hasLog`, it is only in the log, as a killed program leaves it. */
async function fill(path: string, hasLog: boolean): Promise<void> {
  const live = join(folder, `${hasLog}`);
  await mkdir(live);
  await using store = await openSqliteStore({ path: join(live, 'store.db') });
  await storeSession(store, 's1', { parts: [] });
  if (!hasLog) {
    const database = new DatabaseSync(join(live, 'store.db'));
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  }
  await copyFile(join(live, 'store.db'), path);
  if (hasLog) await copyFile(join(live, 'store.db-wal'), `${path}-wal`);
}
