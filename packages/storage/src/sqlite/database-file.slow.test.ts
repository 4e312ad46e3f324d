import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Lease } from '@longhaul/core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { incompressible } from '../../test/incompressible.ts';
import { openSqliteStore, type SqliteStore } from './index.ts';
import { openDatabase } from './open-database.ts';

const READERS = fileURLToPath(new URL('../../test/overlapping-readers.ts', import.meta.url));
const MB = 1_000_000;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-file-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the write-ahead log', () => {
  const readings = [
    { name: 'that always overlap', ms: 5 },
    { name: 'that take longer than a short wait, as on a busy machine', ms: 150 },
  ];
  for (const { name, ms } of readings) {
    it(`stays small while 80 MB are written with readers in another process ${name}`, async () => {
      const path = join(folder, `overlap-${ms}`, 'store.db');
      // However rarely the readers get to run, a write waits until they have passed the log by.
      await using store = await openDatabase({ path, longWaitMs: 60_000 });
      const write = await writer(store);
      const readers = spawn(process.execPath, [READERS, path, String(ms)], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      try {
        await once(readers.stdout, 'data');
        let largest = 0;
        for (let i = 0; i < 160; i++) {
          await write(i, 500_000);
          largest = Math.max(largest, await logSize(path));
        }
        assert.ok((await stat(path)).size > 40 * MB, 'the written data is in the database itself');
        assert.ok(largest > MB, 'the log was measured');
        assert.ok(largest < 36 * MB, `${largest} bytes`);
      } finally {
        readers.kill('SIGKILL');
        await once(readers, 'close');
      }
    });
  }

  it('is truncated once a stuck reader has closed, and is removed by the last close', async () => {
    const path = join(folder, 'stuck', 'store.db');
    {
      await using store = await openSqliteStore({ path });
      const write = await writer(store);
      const reader = new DatabaseSync(path, { readOnly: true });
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM messages').get();
      for (let i = 0; i < 60; i++) await write(i, 400_000);
      assert.ok((await logSize(path)) > 20 * MB);
      reader.close();
      for (let i = 60; i < 110; i++) await write(i, 100_000);
      assert.ok((await logSize(path)) < 9 * MB, `${await logSize(path)} bytes`);
    }
    await assert.rejects(stat(`${path}-wal`), { code: 'ENOENT' });
  });
});

describe('a database that is removed while in use', () => {
  const changes: Record<string, (path: string) => Promise<unknown>> = {
    deleted: (path) => rm(path),
    'deleted with its folder': (path) => rm(dirname(path), { recursive: true }),
    'moved elsewhere': (path) => rename(path, `${path}.old`),
    'replaced by another': async (path) => {
      await cp(path, `${path}.copy`);
      await rename(`${path}.copy`, path);
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    it(`rejects writes after it was ${name}`, async () => {
      const path = join(folder, name, 'store.db');
      await mkdir(dirname(path), { recursive: true });
      await using store = await openSqliteStore({ path });
      const write = await writer(store);
      await write(1, 10);
      await change(path);
      const error = { code: 'store_unavailable', message: /store\.db was (deleted|replaced).* in use/ };
      await assert.rejects(write(2, 10), error);
      await assert.rejects(store.createSession(session('s2')), error);
    });
  }
});

async function writer(store: SqliteStore): Promise<(number: number, chars: number) => Promise<void>> {
  await store.createSession(session('s1'));
  const lease = await leaseOf(store);
  return async (number, chars) => {
    const base = { role: 'assistant', status: 'done', createdAt: 1, tokenCount: 1 } as const;
    const parts = [{ type: 'reasoning', text: incompressible(chars), state: 'done' } as const];
    await store.appendMessage(lease, { id: `m${number}`, ...base, parts });
  };
}

async function leaseOf(store: SqliteStore): Promise<Lease> {
  const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
  return (await store.acquireLease('s1', { runId: 'r1', owner, ttlMs: 60_000, isAlive: () => true })).lease;
}

function session(id: string) {
  return { id, createdAt: 1, task: '', title: '', model: 'm', workspace: '/' };
}

async function logSize(path: string): Promise<number> {
  return (await stat(`${path}-wal`)).size;
}
