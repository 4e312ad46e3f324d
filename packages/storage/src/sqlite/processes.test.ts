import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type ProgramResult, runProgram } from '../../test/support.ts';
import { openSqliteStore } from './index.ts';

const PROGRAM = fileURLToPath(new URL('../../test/store-process.ts', import.meta.url));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-processes-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('several processes on one database', () => {
  it('open it for the first time at once, all with success', async () => {
    for (const round of [1, 2, 3]) {
      const path = join(folder, `first-${round}`, 'store.db');
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      allDone(await Promise.all(names.map((name) => start(path, name, 1))));
      await using store = await openSqliteStore({ path });
      assert.deepEqual((await store.listSessions()).map(({ id }) => id).toSorted(), names);
    }
  });

  it('append beside each other: nothing is lost, numbers have no holes', async () => {
    const path = join(folder, 'appending.db');
    const count = 150;
    await using store = await openSqliteStore({ path });
    const texts = { task: '', title: '', model: 'm', workspace: '/' };
    await store.createSession({ id: 'shared', createdAt: 1, ...texts });
    allDone(await Promise.all([start(path, 'left', count), start(path, 'right', count)]));
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

function start(path: string, name: string, count: number): Promise<ProgramResult> {
  return runProgram(process.execPath, ['--conditions=longhaul-src', PROGRAM, path, name, `${count}`]);
}

function allDone(results: readonly ProgramResult[]): void {
  assert.deepEqual(
    results,
    results.map(() => ({ code: 0, output: 'done\n' })),
  );
}
