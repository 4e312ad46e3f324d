import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProgramResult, runProgram } from '../../test/support.ts';
import { openSqliteStore } from './index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-processes-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('several processes on one database', () => {
  it('all succeed when they first open it at the same time', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const rounds = 25;
    const opened = Promise.all(names.map((name) => run('open-process.ts', folder, name, `${rounds}`)));
    const areReady = () => names.every((name) => existsSync(join(folder, `${name}.ready`)));
    await Promise.race([expect.poll(areReady).toBe(true), opened]);
    await writeFile(join(folder, 'start.new'), `${Date.now() + 500}`);
    await rename(join(folder, 'start.new'), join(folder, 'start'));
    allDone(await opened);
    for (let round = 0; round < rounds; round++) {
      await using store = await openSqliteStore({ path: join(folder, `${round}.db`) });
      assert.deepEqual((await store.listSessions()).map(({ id }) => id).toSorted(), names);
    }
  });

  it('append concurrently without lost messages or gaps in the numbers', async () => {
    const path = join(folder, 'appending.db');
    const count = 150;
    const appender = (name: string) => run('store-process.ts', path, name, `${count}`);
    await using store = await openSqliteStore({ path });
    const texts = { task: '', title: '', model: 'm', workspace: '/' };
    await store.createSession({ id: 'shared', createdAt: 1, ...texts });
    allDone(await Promise.all([appender('left'), appender('right')]));
    for (const name of ['left', 'right']) {
      const expected = Array.from({ length: count }, (_, i) => `${name}-${i}`);
      const { messages } = await store.loadLog(name);
      assert.deepEqual(
        messages.map(({ id }) => id),
        expected,
      );
      assert.deepEqual(
        messages.map(({ sequence }) => sequence),
        expected.map((_, i) => i + 1),
      );
      const mine = (await store.listQueue('shared')).map(({ id }) => id).filter((id) => id.startsWith(name));
      assert.deepEqual(mine, expected);
    }
    const queuedEvents = await store.readEvents('shared');
    const positions = queuedEvents.map((event) => event.type === 'message:queued' && event.position);
    assert.deepEqual(
      positions,
      Array.from({ length: 2 * count }, (_, i) => i + 1),
    );
    assert.deepEqual(
      queuedEvents.map(({ number }) => number),
      positions,
    );
  });
});

function run(program: string, ...args: string[]): Promise<ProgramResult> {
  const path = fileURLToPath(new URL(`../../test/${program}`, import.meta.url));
  return runProgram(process.execPath, [...FROM_SOURCE, path, ...args]);
}

function allDone(results: readonly ProgramResult[]): void {
  assert.deepEqual(
    results,
    results.map(() => ({ code: 0, output: 'done\n' })),
  );
}
