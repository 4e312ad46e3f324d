import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Lease } from '@longhaul/core';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { lacks } from '@longhaul/testing/machine';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { runProgram, smallDisk } from '../../test/support.ts';
import { openSqliteStore, type SqliteStore } from './index.ts';
import { openConnection } from './open-database.ts';

const PROGRAM = fileURLToPath(new URL('../../test/store-process.ts', import.meta.url));
const NOBODY = 65534;
const SESSION = { id: 's1', createdAt: 1, task: '', title: '', model: 'm', workspace: '/' };

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-bad-disk-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('an unusable database', () => {
  it('is not changed when it is damaged, and the error says what to do', async () => {
    const path = join(folder, 'garbage.db');
    const garbage = 'This is no database. '.repeat(500);
    await writeFile(path, garbage);
    await assert.rejects(openSqliteStore({ path }), { code: 'store_corrupt', message: /longhaul repair/ });
    assert.equal(await readFile(path, 'utf8'), garbage);
  });

  it('is reported as damaged when a page in the middle is damaged', async () => {
    const path = join(folder, 'damaged.db');
    {
      await using store = await openSqliteStore({ path });
      const lease = await begin(store);
      for (let i = 0; i < 50; i++) await append(store, lease, i, 2000);
    }
    const bytes = await readFile(path);
    bytes.fill(0xee, 4096 * 2);
    await writeFile(path, bytes);
    const use = async () => {
      await using store = await openSqliteStore({ path });
      await store.loadLog('s1');
    };
    await assert.rejects(use(), { code: 'store_corrupt' });
    assert.deepEqual(await readFile(path), bytes);
  });

  it('is reported as unavailable when another program keeps it locked', async () => {
    const path = join(folder, 'locked.db');
    await using store = await openSqliteStore({ path, busyTimeoutMs: 50 });
    await store.createSession(SESSION);
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    await assert.rejects(store.updateSession('s1', { title: 'x' }), {
      code: 'store_unavailable',
      retryable: true,
    });
    assert.equal((await store.getSession('s1'))?.title, '');
    other.exec('COMMIT');
    other.close();
    assert.equal((await store.updateSession('s1', { title: 'y' })).title, 'y');
  });

  it('is reported with the program that keeps it locked, after the busy timeout', async ({ skip }) => {
    if (process.platform !== 'linux') return skip('only Linux reports which process holds a lock');
    const path = join(folder, 'held.db');
    await using store = await openSqliteStore({ path, busyTimeoutMs: 300 });
    await store.createSession(SESSION);
    const hold = `const d = new (require('node:sqlite').DatabaseSync)(process.argv[1]); d.exec('BEGIN IMMEDIATE'); console.log('held'); setInterval(() => d, 1000)`;
    const holder = spawn(process.execPath, ['-e', hold, path], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await once(holder.stdout, 'data');
      const message = new RegExp(`process ${holder.pid} \\(node.*stop it, then retry`);
      await assert.rejects(store.updateSession('s1', { title: 'x' }), { code: 'store_unavailable', message });
      // Opening it then waits too and fails with the same error.
      await assert.rejects(
        openSqliteStore({ path, busyTimeoutMs: 100 }).then(async (other) => {
          await using _other = other;
          await other.updateSession('s1', { title: 'x' });
        }),
        { code: 'store_unavailable', message },
      );
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'close');
    }
    assert.equal((await store.updateSession('s1', { title: 'y' })).title, 'y');
  });

  it('sets the busy timeout of SQLite to the option, by default to 5 seconds', async () => {
    for (const [option, timeout] of [[{ busyTimeoutMs: 300 }, 300] as const, [{}, 5_000] as const]) {
      const { connection } = await openConnection({ path: join(folder, `timeout-${timeout}.db`), ...option });
      assert.deepEqual(connection.db.get(sql`PRAGMA busy_timeout`), { timeout });
      connection.close();
    }
  });

  it('is reported as unavailable when the path is a folder', async () => {
    await assert.rejects(openSqliteStore({ path: folder }), { code: 'store_unavailable' });
  });
});

describe('a new database', () => {
  it('and the files SQLite adds are accessible only to the owner, in any folder', async () => {
    const place = join(folder, 'private', 'deep');
    await using store = await openSqliteStore({ path: join(place, 'store.db') });
    await store.createSession(SESSION);
    for (const name of ['store.db', 'store.db-wal', 'store.db-shm']) {
      assert.equal((await stat(join(place, name))).mode & 0o777, 0o600, name);
    }
    assert.equal((await stat(place)).mode & 0o777, 0o700);
  });
});

describe('a location that is not writable', () => {
  it.runIf(process.platform === 'linux')(
    'is reported at once below /proc and /sys, where a recursive mkdir never ends',
    async () => {
      for (const path of ['/proc/no/such/store.db', '/sys/no/store.db', '/proc/self/fdinfo/x/store.db']) {
        await assert.rejects(openSqliteStore({ path }), { code: 'store_readonly', message: /storage\.url/ });
      }
    },
  );

  it('is reported on a read-only disk, where Node reports a missing folder', async ({ skip }) => {
    await using disk = await smallDisk(1);
    if (disk === undefined) return lacks('mount', 'a file system cannot be mounted here', skip);
    assert.equal((await runProgram('mount', ['-o', 'remount,ro', disk.path])).code, 0);
    await assert.rejects(openSqliteStore({ path: join(disk.path, 'a', 'b', 'store.db') }), {
      code: 'store_readonly',
      message: /storage\.url/,
    });
  });

  const cases = [
    { name: 'folder', folderMode: 0o555, file: false },
    { name: 'file', folderMode: 0o777, file: true },
    { name: 'folder and file', folderMode: 0o555, file: true },
  ];
  for (const { name, folderMode, file } of cases) {
    it(`is reported: read-only ${name}`, async ({ skip }) => {
      if (process.getuid?.() !== 0) return lacks('root', 'only root can run a program as another user', skip);
      const readable = `require('node:fs').accessSync(${JSON.stringify(PROGRAM)})`;
      const { code } = await runProgram(process.execPath, ['-e', readable], { uid: NOBODY });
      if (code !== 0) return lacks('root', 'another user cannot read this checkout', skip);
      await chmod(folder, 0o755);
      const place = join(folder, name);
      await mkdir(place);
      const path = join(place, 'store.db');
      if (file) {
        await (await openSqliteStore({ path }))[Symbol.asyncDispose]();
        await chmod(path, 0o444);
      }
      await chmod(place, folderMode);
      const { output } = await runProgram(process.execPath, [...FROM_SOURCE, PROGRAM, path, 'name', '1'], {
        uid: NOBODY,
      });
      assert.match(output, /^store_readonly: /);
    });
  }
});

describe('a full disk', () => {
  it('fails the call and keeps the session; the store works again when space is free', async ({ skip }) => {
    await using disk = await smallDisk(2);
    if (disk === undefined) return lacks('mount', 'a file system cannot be mounted here', skip);
    const filler = join(disk.path, 'filler');
    await writeFile(filler, new Uint8Array(700_000));
    await using store = await openSqliteStore({ path: join(disk.path, 'store.db') });
    const lease = await begin(store);
    let stored = 0;
    const fill = async () => {
      for (; stored < 1000; stored++) await append(store, lease, stored, 20_000);
    };
    await assert.rejects(fill(), { code: 'store_full' });
    const concurrent = [1, 2, 3].map((i) => append(store, lease, 5000 + i, 40_000));
    const outcomes = await Promise.allSettled(concurrent);
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    assert.ok(stored > 3);
    assert.equal((await store.loadLog('s1')).messages.length, stored);
    await rm(filler);
    await append(store, lease, stored, 20_000);
    const { messages, damaged } = await store.loadLog('s1');
    assert.equal(messages.length, stored + 1);
    assert.deepEqual(damaged, []);
  });

  const kept = [
    { name: 'with a log left by the run that filled the disk', fill: fillByAppending },
    {
      name: 'without a log, when other programs filled the disk',
      fill: async (store: SqliteStore) => begin(store),
    },
  ];
  for (const { name, fill } of kept) {
    it(`allows reading a database ${name}, because opening it writes nothing`, async ({ skip }) => {
      await using disk = await smallDisk(1);
      if (disk === undefined) return lacks('mount', 'a file system cannot be mounted here', skip);
      const path = join(disk.path, 'store.db');
      {
        await using store = await openSqliteStore({ path });
        await fill(store);
      }
      await assert.rejects(writeFile(join(disk.path, 'filler'), new Uint8Array(2_000_000)), {
        code: 'ENOSPC',
      });
      for (const _time of ['once', 'and again']) {
        await using store = await openSqliteStore({ path });
        assert.equal((await store.loadLog('s1')).session.id, 's1');
        // Larger than the append that failed: its pages, which were rolled back, are free in the log.
        await assert.rejects(store.updateSession('s1', { title: 'x'.repeat(60_000) }), {
          code: 'store_full',
        });
      }
    });
  }

  it('is reported when the database cannot be created', async ({ skip }) => {
    await using disk = await smallDisk(1);
    if (disk === undefined) return lacks('mount', 'a file system cannot be mounted here', skip);
    const filler = writeFile(join(disk.path, 'filler'), new Uint8Array(2_000_000));
    await assert.rejects(filler, { code: 'ENOSPC' });
    await assert.rejects(openSqliteStore({ path: join(disk.path, 'store.db') }), { code: 'store_full' });
    await assert.rejects(openSqliteStore({ path: join(disk.path, 'folder', 'store.db') }), {
      code: 'store_full',
    });
  });
});

describe('a clock that is set back by an hour', () => {
  it('keeps sequences, event numbers and the lease expiry in order', async () => {
    const path = join(folder, 'clock.db');
    let now = Date.UTC(2026, 0, 1, 12);
    await using store = await openSqliteStore({ path, now: () => now });
    const lease = await begin(store);
    const event = [{ type: 'llm:thinking' } as const];
    await store.appendEvents(lease, event);
    await append(store, lease, 1, 10);
    now -= 3_600_000;
    await store.renewLease(lease, 1000);
    await store.appendEvents(lease, event);
    await append(store, lease, 2, 10);
    assert.deepEqual(
      (await store.readEvents('s1')).map(({ number }) => number),
      [1, 2],
    );
    assert.deepEqual(
      (await store.loadLog('s1')).messages.map(({ id, sequence }) => [id, sequence]),
      [
        ['m1', 1],
        ['m2', 2],
      ],
    );
    const owner = { host: 'h', bootId: 'b', pid: 2, processStartedAt: '0' };
    const options = { runId: 'r2', owner, ttlMs: 1000 };
    await assert.rejects(store.acquireLease('s1', { ...options, isAlive: () => true }), {
      code: 'session_busy',
    });
    assert.equal((await store.acquireLease('s1', { ...options, isAlive: () => false })).lease.epoch, 2);
  });
});

async function begin(store: SqliteStore): Promise<Lease> {
  await store.createSession(SESSION);
  const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
  return (await store.acquireLease('s1', { runId: 'r1', owner, ttlMs: 60_000, isAlive: () => true })).lease;
}

async function fillByAppending(store: SqliteStore): Promise<void> {
  const lease = await begin(store);
  const fill = async () => {
    for (let number = 1; ; number += 1) await append(store, lease, number, 20_000);
  };
  await assert.rejects(fill(), { code: 'store_full' });
}

async function append(store: SqliteStore, lease: Lease, number: number, chars: number): Promise<void> {
  const base = { role: 'user', status: 'done', createdAt: 1, tokenCount: 1 } as const;
  const parts = [{ type: 'text', text: 'x'.repeat(chars), state: 'done' } as const];
  await store.appendMessage(lease, { id: `m${number}`, ...base, parts });
}
