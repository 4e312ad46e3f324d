import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Part } from '@longhaul/protocol';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { storeSession } from '../../test/stored-session.ts';
import { textPacks } from '../../test/text-packs.ts';
import { createMemoryBlobStore } from '../blobs/index.ts';
import { openSqliteStore } from '../sqlite/index.ts';
import { collectGarbage, examineContents, examineDatabase, repairDatabase } from './index.ts';

const PROGRAM = fileURLToPath(new URL('../../test/killed-process.ts', import.meta.url));
const LATER = () => Date.now() + 2 * 3_600_000;
const DEAD = { isAlive: () => false, packs: textPacks(createMemoryBlobStore()) };

let folder = '';
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-killed-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('kill -9', () => {
  const cases: [work: string, point: string, visible: string][] = [
    ['import', 'import-begun:1', 'old source'],
    ['import', 'import-piece-before-commit:2', 'old source'],
    ['import', 'import-piece-committed:1', 'old source'],
    ['import', 'import-piece-committed:3', 'old source'],
    ['import', 'import-publish-before-commit:1', 'old source'],
    ['import', 'import-published:1', 'imported old source'],
    ['fork', 'fork-copying:1', 'old source'],
    ['fork', 'fork-copying:301', 'old source'],
    ['fork', 'fork-committed:1', 'forked old source'],
    ['gc', 'gc-session-dropped:1', 'source'],
    ['gc', 'gc-rests-dropped:1', 'source'],
    ['gc', 'gc-blobs-swept:1', 'source'],
    ['gc', 'gc-space-released:1', 'source'],
    ['compact', 'compaction-before-commit:1', 'old source'],
    ['compact', 'compaction-committed:1', 'old source'],
  ];
  for (const [work, point, visible] of cases) {
    it(`in ${work} at ${point} leaves whole sessions only, also after gc and repair`, async () => {
      const place = await newPlace();
      assert.equal(await killedAt(place, work, point), 'SIGKILL');
      const sessions = visible.split(' ');
      await expectWhole(place.path, sessions);
      const isUnfinished = work !== 'compact' && !/published|committed:1$|released|rests|swept/.test(point);
      const hidden = point === 'import-piece-committed:1' || isUnfinished ? 1 : 0;
      const options = { isAlive: DEAD.isAlive, compareBlobs: 0 };
      assert.equal((await examineContents(place, options)).unfinished, hidden);
      // A repair must not bring back what was never complete.
      await repairDatabase(place.path, { now: () => Date.UTC(2026, 0, 1) + count });
      await expectWhole(place.path, sessions);
      await collectGarbage(place, { sessions: [], backups: [] }, { ...DEAD, now: LATER });
      assert.equal((await examineContents(place, options)).unfinished, 0);
      await expectWhole(place.path, sessions);
      assert.equal(await killedAt(place, 'import', 'gc-blobs-swept:1'), visible.includes('imported') ? 1 : 0);
    });
  }

  it('in an import leaves rows that gc removes after an hour', async () => {
    const place = await newPlace();
    await killedAt(place, 'import', 'import-publish-before-commit:1');
    assert.equal(rowsOf(place.path, 'imported'), 150);
    await collectGarbage(place, { sessions: [], backups: [] }, DEAD);
    assert.equal(rowsOf(place.path, 'imported'), 150, 'it may still be in progress');
    await collectGarbage(place, { sessions: [], backups: [] }, { ...DEAD, now: LATER });
    assert.equal(rowsOf(place.path, 'imported'), 0);
  });
});

async function newPlace(): Promise<{ path: string; blobs: string }> {
  count += 1;
  const root = join(folder, `${count}`);
  await mkdir(root);
  const place = { path: join(root, 'store.db'), blobs: join(root, 'blobs') };
  await using store = await openSqliteStore({ path: place.path });
  const parts = [{ type: 'text', text: 'x'.repeat(5000), state: 'done' } as const];
  await storeSession(store, 'old', { parts });
  const staged = await store.stageSession({
    id: 'source',
    createdAt: 1,
    task: '',
    title: 's',
    model: 'm',
    workspace: '/',
  });
  await staged.append(
    Array.from({ length: 400 }, (_, index) => {
      const text: Part = { type: 'text', text: `copper ${index} ${'y'.repeat(2000)}`, state: 'done' };
      return {
        id: `source-m${index + 1}`,
        role: 'user',
        status: 'done',
        createdAt: 1,
        tokenCount: 1,
        parts: [text],
      };
    }),
  );
  await staged.publish({ patch: { status: 'completed' }, marks: [] });
  return place;
}

/** Returns the signal that ended the process, or its exit code. */
async function killedAt(
  { path, blobs }: { path: string; blobs: string },
  work: string,
  point: string,
): Promise<string | number> {
  const args = [...FROM_SOURCE, PROGRAM, path, blobs, work, point];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const errors = text(child.stderr);
  const [code, signal] = await once(child, 'close');
  const problem = await errors;
  if (signal === null && code !== 0 && !/already exists|SESSION_EXISTS|exists/i.test(problem))
    assert.fail(problem);
  return signal ?? code;
}

const MESSAGES: Readonly<Record<string, number>> = { old: 2, source: 400, forked: 400, imported: 150 };

async function expectWhole(path: string, sessions: string[]): Promise<void> {
  assert.deepEqual(await examineDatabase(path, { deep: true }), { status: 'sound' });
  await using store = await openSqliteStore({ path });
  assert.deepEqual((await store.listSessions()).map(({ id }) => id).toSorted(), sessions);
  for (const id of sessions) {
    const { messages, damaged } = await store.loadLog(id);
    assert.deepEqual([messages.length, damaged], [MESSAGES[id], []], id);
  }
  const found = new Set((await store.search('quartz', { limit: 500 })).map(({ sessionId }) => sessionId));
  assert.deepEqual([...found], sessions.includes('imported') ? ['imported'] : []);
}

function rowsOf(path: string, session: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const row = database.prepare('SELECT count(*) AS rows FROM messages WHERE session_id = ?').get(session);
    return Number(row?.['rows']);
  } finally {
    database.close();
  }
}
