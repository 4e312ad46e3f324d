import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { BlobStore, LeaseOwner } from '@longhaul/core';
import { blobReference, treeReference } from '@longhaul/protocol';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { incompressible } from '../../test/incompressible.ts';
import { outputIn, storeSession } from '../../test/stored-session.ts';
import { patchTo, textPacks } from '../../test/text-packs.ts';
import { blobPath } from '../blobs/blob-files.ts';
import { createFileBlobStore, sweepBlobs } from '../blobs/index.ts';
import { openSqliteStore, type SqliteStore } from '../sqlite/index.ts';
import { collectGarbage, planGarbage, type StoragePlace, type TreePacks } from './index.ts';

const DAY_MS = 86_400_000;
const NONE = { sessions: [], backups: [] };

let folder = '';
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-garbage-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('an unfinished fork of a killed process', () => {
  it('is removed after an hour, not while the copy may still be running', async () => {
    await using place = await newPlace();
    await storeSession(place.store, 'whole', { parts: [] });
    const ids = () => {
      using database = new DatabaseSync(place.path);
      return database
        .prepare('SELECT id FROM sessions ORDER BY id')
        .all()
        .map(({ id }) => id);
    };
    {
      using database = new DatabaseSync(place.path);
      const insert = database.prepare(
        `INSERT INTO sessions (id, created_at, status, task, title, model, workspace) VALUES (?, ?, 'active', '', '', 'm', '/')`,
      );
      insert.run('begun-long-ago', 1);
      insert.run('begun-now', Date.now());
    }
    await collectGarbage(place, NONE, place);
    assert.deepEqual(ids(), ['begun-now', 'whole']);
  });
});

describe('unreferenced blobs', () => {
  it('are removed; referenced blobs, young blobs and blobs of a waiting message are kept', async () => {
    await using place = await newPlace();
    const { store, blobStore: blobs } = place;
    const named = await old(place, 'named by a part');
    const waiting = await old(place, 'named by a waiting message');
    const unreferenced = await old(place, 'named by nobody');
    const young = (await blobs.put('about to be named')).id;
    await storeSession(store, 's1', { parts: [outputIn(named)] });
    const content = [{ type: 'image' as const, data: blobReference(waiting), mediaType: 'image/png' }];
    await store.enqueue('s1', { id: 'q1', content, queuedAt: 1 }, { maxPending: 10 });
    const plan = await planGarbage(place, {}, place);
    assert.deepEqual(plan.swept?.blobs, { count: 1, bytes: 'named by nobody'.length });
    assert.deepEqual(plan.drop, []);
    const report = await collectGarbage(place, NONE, place);
    assert.deepEqual(report.swept, plan.swept);
    assert.equal(await blobs.stat(unreferenced), undefined);
    for (const id of [named, waiting, young]) assert.ok(await blobs.stat(id));
  });

  it('are kept when another database in the folder references them or cannot be read', async () => {
    await using place = await newPlace();
    const theirs = await old(place, 'named by the other');
    const unreferenced = await old(place, 'named by nobody');
    await storeSession(place.store, 's1', { parts: [] });
    const other = join(dirname(place.path), 'other.db');
    {
      await using store = await openSqliteStore({ path: other });
      await storeSession(store, 's2', { parts: [outputIn(theirs)] });
    }
    const damaged = `${place.path}.damaged-2026`;
    await writeFile(damaged, 'no database');
    const report = await collectGarbage(place, NONE, place);
    assert.equal(report.unreadable, 'store.db.damaged-2026');
    assert.ok(await place.blobStore.stat(unreferenced));
    await rm(damaged);
    assert.equal((await collectGarbage(place, NONE, place)).swept?.blobs.count, 1);
    assert.ok(await place.blobStore.stat(theirs));
  });

  it('are kept when they are put again during the sweep', async () => {
    const blobs = join(folder, 'race');
    const { id } = await createFileBlobStore(blobs).put('again');
    const path = blobPath(blobs, id);
    await utimes(path, 1, 1);
    const putAgain = () => {
      utimesSync(path, Date.now() / 1000, Date.now() / 1000);
      return false;
    };
    assert.equal((await sweepBlobs(blobs, { isNamed: putAgain })).blobs.count, 0);
    assert.ok((await stat(path)).size > 0);
    await utimes(path, 1, 1);
    await createFileBlobStore(blobs).put('again');
    assert.equal(
      (await sweepBlobs(blobs, { isNamed: () => false })).blobs.count,
      0,
      'a put makes a blob young',
    );
  });

  it('are stored completely by writers that run concurrently with sweeps', async () => {
    const place = join(folder, 'beside');
    const blobs = createFileBlobStore(place);
    for (let round = 0; round < 30; round++) {
      const id = (await blobs.put(`content ${round % 3}`)).id;
      await utimes(blobPath(place, id), 1, 1);
      const [, put] = await Promise.all([
        sweepBlobs(place, { isNamed: () => false }),
        blobs.put(`content ${round % 3}`),
      ]);
      assert.equal(new TextDecoder().decode(await blobs.get(put.id)), `content ${round % 3}`);
    }
  });

  it('are removed with leftovers of killed writers, but not with files that are being written', async () => {
    const place = join(folder, 'leftovers');
    const blobs = createFileBlobStore(place);
    const named = (await blobs.put('named')).id;
    for (const name of ['killed', 'writing', `dropped-${named}`])
      await writeFile(join(place, 'tmp', name), 'named');
    await rm(blobPath(place, named));
    for (const name of ['killed', `dropped-${named}`]) await utimes(join(place, 'tmp', name), 1, 1);
    const { leftovers } = await sweepBlobs(place, { isNamed: (id) => id === named });
    assert.deepEqual(leftovers, { count: 1, bytes: 5 });
    assert.deepEqual(await readdir(join(place, 'tmp')), ['writing']);
    assert.ok(await blobs.stat(named), 'restored after a killed sweep had moved it aside');
  });
});

describe('packs of recorded files', () => {
  it('are kept while a part, a revert, the newest state or a pending revert needs them', async () => {
    await using place = await newPlace();
    const { store } = place;
    const needed = await old(place, 'pack: contents');
    const tree = async (name: string) => old(place, `pack ${name} ${needed}`);
    const [inPart, ofRevert, newest, pending] = await Promise.all(
      ['part', 'revert', 'newest', 'pending'].map(tree),
    );
    const unneeded = await old(place, `pack nobody's ${needed}`);
    const lease = await storeSession(store, 's1', { parts: [patchTo(inPart ?? '')], isRunning: true });
    const revert = { kind: 'revert', id: 'r1', at: 2, to: 1, createdAt: 1 } as const;
    await store.recordMarks(lease, [{ ...revert, treeBefore: treeReference(ofRevert ?? '') }], []);
    await store.putSetting('session:s1:files', { tree: treeReference(newest ?? ''), through: 2 });
    await store.putSetting('session:s1:revert', { treeAfter: treeReference(pending ?? '') });
    const report = await collectGarbage(place, NONE, place);
    assert.equal(report.brokenTrees, undefined);
    assert.equal(report.swept?.blobs.count, 1);
    assert.equal(await place.blobStore.stat(unneeded), undefined);
    for (const id of [needed, inPart, ofRevert, newest, pending])
      assert.ok(await place.blobStore.stat(id ?? ''));
  });

  it('go with the last session that needs them, and count as its bytes', async () => {
    await using place = await newPlace();
    const shared = await old(place, 'pack: shared');
    const own = await old(place, `pack: own ${'x'.repeat(1_000_000)}`);
    await storeSession(place.store, 'old', { parts: [patchTo(await old(place, `pack ${shared} ${own}`))] });
    place.clock += DAY_MS;
    const kept = await old(place, `pack 2 ${shared}`);
    await storeSession(place.store, 'new', { parts: [patchTo(kept)] });
    place.clock += DAY_MS;
    const plan = await planGarbage(place, { maxBytes: 500_000 }, place);
    assert.deepEqual(
      plan.drop.map(({ id }) => id),
      ['old'],
    );
    assert.equal(plan.swept?.blobs.count, 2);
    const report = await collectGarbage(place, { sessions: ['old'], backups: [] }, place);
    assert.deepEqual(report.swept, plan.swept);
    assert.equal(await place.blobStore.stat(own), undefined);
    for (const id of [shared, kept]) assert.ok(await place.blobStore.stat(id));
  });

  it('are all kept while a recorded tree cannot be read, but other blobs go', async () => {
    await using place = await newPlace();
    const pack = await old(place, 'pack that the lost tree may need');
    const other = await old(place, 'no pack');
    await storeSession(place.store, 's1', { parts: [patchTo('0'.repeat(64))] });
    const report = await collectGarbage(place, NONE, place);
    assert.equal(report.brokenTrees, 1);
    assert.ok(await place.blobStore.stat(pack));
    assert.equal(await place.blobStore.stat(other), undefined);
    place.clock += DAY_MS;
    const plan = await planGarbage(place, { olderThanMs: DAY_MS / 2 }, place);
    assert.equal(plan.brokenTrees, undefined, 'the session with the lost tree goes');
    assert.equal(plan.swept?.blobs.count, 1);
  });

  it('go although a text looks like a lost tree, or a session was imported without its files', async () => {
    await using place = await newPlace();
    const unneeded = await old(place, 'pack of nobody');
    const lost = '0'.repeat(64);
    const text = { type: 'text', text: `See ${treeReference(lost)}`, state: 'done' } as const;
    await storeSession(place.store, 's1', { parts: [text] });
    await storeSession(place.store, 's2', { parts: [patchTo(lost)] });
    await place.store.updateSession('s2', { metadata: { imported: { withoutFiles: true } } });
    const report = await collectGarbage(place, NONE, place);
    assert.equal(report.brokenTrees, undefined);
    assert.equal(await place.blobStore.stat(unneeded), undefined);
  });

  it('are kept when another database in the folder needs them', async () => {
    await using place = await newPlace();
    const needed = await old(place, 'pack: contents');
    const tree = await old(place, `pack ${needed}`);
    {
      await using store = await openSqliteStore({ path: join(dirname(place.path), 'other.db') });
      await storeSession(store, 's2', { parts: [patchTo(tree)] });
    }
    assert.equal((await collectGarbage(place, NONE, place)).swept?.blobs.count, 0);
    for (const id of [needed, tree]) assert.ok(await place.blobStore.stat(id));
  });
});

describe('sessions', () => {
  it('are dropped by age, with their blobs; live sessions, sessions with waiting messages and recent sessions are kept', async () => {
    await using place = await newPlace();
    const blob = await old(place, 'x'.repeat(5000));
    const shared = await old(place, 'shared');
    await storeSession(place.store, 'old', { parts: [outputIn(blob), outputIn(shared)] });
    const live = await storeSession(place.store, 'live', { parts: [], isRunning: true });
    await storeSession(place.store, 'waiting', { parts: [] });
    await place.store.enqueue('waiting', { id: 'q', content: [], queuedAt: 1 }, { maxPending: 1 });
    place.clock += 40 * DAY_MS;
    await storeSession(place.store, 'new', { parts: [outputIn(shared)] });
    await place.store.renewLease(live, 60_000);
    pretendUnused(place, 'live');
    const plan = await planGarbage(place, { olderThanMs: 30 * DAY_MS }, place);
    assert.deepEqual(
      plan.drop.map(({ id, why }) => [id, why]),
      [['old', 'age']],
    );
    assert.deepEqual(plan.keep.map(({ id, why }) => [id, why]).toSorted(), [
      ['live', 'running'],
      ['waiting', 'waiting'],
    ]);
    assert.equal(plan.swept?.blobs.count, 1);
    const sessions = ['old', 'live', 'waiting', 'new'];
    const report = await collectGarbage(place, { sessions, backups: [] }, place);
    assert.deepEqual(report.sessions, ['old']);
    assert.deepEqual(
      report.kept,
      ['live', 'waiting', 'new'],
      'agreeing to a session does not override a reason to keep it',
    );
    assert.equal(await place.store.getSession('old'), undefined);
    assert.equal(await place.blobStore.stat(blob), undefined);
    assert.ok(await place.blobStore.stat(shared));
    assert.deepEqual(await place.store.search('task of old'), []);
    assert.equal((await place.store.search('task of new')).length, 1);
  });

  it('are kept and dropped together with the sessions that they have started', async () => {
    await using place = await newPlace();
    const blob = await old(place, 'x'.repeat(5000));
    await storeSession(place.store, 'parent', { parts: [outputIn(blob)] });
    await storeSession(place.store, 'other', { parts: [] });
    place.clock += 40 * DAY_MS;
    await storeSession(place.store, 'child', { parts: [outputIn(blob)], parentId: 'parent' });
    const limits = { olderThanMs: 30 * DAY_MS };
    const first = await planGarbage(place, limits, place);
    assert.deepEqual(
      first.drop.map(({ id }) => id),
      ['other'],
    );
    place.clock += 40 * DAY_MS;
    const second = await planGarbage(place, limits, place);
    assert.deepEqual(
      second.drop.map(({ members }) => members),
      [['other'], ['parent', 'child']],
    );
    assert.equal(second.swept?.blobs.count, 1);
    const report = await collectGarbage(place, { sessions: ['parent'], backups: [] }, place);
    assert.deepEqual(report.sessions, ['parent']);
    assert.equal(await place.store.getSession('child'), undefined);
    assert.equal(await place.blobStore.stat(blob), undefined);
    assert.deepEqual(await place.store.search('task of child'), []);
  });

  it('are dropped by size, least recently used first, until the rest fits', async () => {
    await using place = await newPlace();
    for (const id of ['a', 'b', 'c', 'd']) {
      place.clock += DAY_MS;
      await storeSession(place.store, id, { parts: [outputIn(await old(place, id.repeat(1_000_000)))] });
    }
    place.clock += DAY_MS;
    const { totalBytes } = await planGarbage(place, {}, place);
    const plan = await planGarbage(place, { maxBytes: totalBytes - 1_500_000 }, place);
    assert.deepEqual(
      plan.drop.map(({ id, why }) => [id, why]),
      [
        ['a', 'size'],
        ['b', 'size'],
      ],
    );
    assert.deepEqual((await planGarbage(place, { maxBytes: totalBytes }, place)).drop, []);
  });

  it('are dropped if their run is dead, or if their lease expired more than a day ago', async () => {
    await using place = await newPlace();
    await storeSession(place.store, 's1', { parts: [], isRunning: true });
    place.clock += 2 * DAY_MS;
    const limits = { olderThanMs: DAY_MS };
    assert.equal((await planGarbage(place, limits, { ...place, isAlive: () => false })).drop.length, 1);
    assert.equal((await planGarbage(place, limits, place)).drop.length, 1, 'a lease that expired long ago');
  });
});

describe('disk space', () => {
  it('is released while a session is running, and the write-ahead log is truncated', async () => {
    await using place = await newPlace();
    const text = { type: 'reasoning', text: incompressible(3_000_000), state: 'done' } as const;
    await storeSession(place.store, 'big', { parts: [text] });
    place.clock += DAY_MS;
    await storeSession(place.store, 'live', { parts: [], isRunning: true });
    const report = await collectGarbage(place, { sessions: ['big'], backups: [] }, place);
    assert.equal(report.notGivenBack, undefined);
    assert.ok(report.bytesBefore - report.bytesAfter > 2_900_000, JSON.stringify(report));
    assert.ok((await stat(place.path)).size < 600_000);
    assert.equal((await stat(`${place.path}-wal`)).size, 0);
    assert.equal((await place.store.loadLog('live')).messages.length, 2);
  });

  it('of a database made by an older version is released by a full vacuum when no session is running', async () => {
    await using place = await newPlace();
    const text = { type: 'reasoning', text: incompressible(3_000_000), state: 'done' } as const;
    await storeSession(place.store, 'big', { parts: [text] });
    await storeSession(place.store, 'live', { parts: [], isRunning: true });
    await place.store[Symbol.asyncDispose]();
    const database = new DatabaseSync(place.path);
    database.exec(
      'PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM; PRAGMA journal_mode = WAL',
    );
    database.close();
    place.clock += DAY_MS;
    const concurrent = await collectGarbage(
      place,
      { sessions: ['big'], backups: [] },
      { ...place, now: () => place.clock - DAY_MS / 2 },
    );
    assert.deepEqual(concurrent.sessions, ['big']);
    assert.deepEqual(concurrent.notGivenBack, { why: 'running' });
    const report = await collectGarbage(place, NONE, { ...place, isAlive: () => false });
    assert.ok(report.bytesBefore - report.bytesAfter > 2_900_000, JSON.stringify(report));
  });

  it('of old backups is released by age only, and a damaged copy is never removed', async () => {
    await using place = await newPlace();
    const backup = `${place.path}.v1.2025-01-01T00-00-00-000Z.backup`;
    await cp(place.path, backup);
    await cp(place.path, `${place.path}.damaged-2025`);
    for (const path of [backup, `${place.path}.damaged-2025`]) await utimes(path, 1, 1);
    assert.deepEqual((await planGarbage(place, {}, place)).oldBackups, []);
    const plan = await planGarbage(place, { olderThanMs: DAY_MS }, place);
    assert.deepEqual(
      plan.oldBackups.map(({ path }) => path),
      [backup],
    );
    assert.deepEqual(
      plan.copies.map(({ kind }) => kind),
      ['damaged'],
    );
    assert.deepEqual((await collectGarbage(place, { sessions: [], backups: [backup] }, place)).backups, [
      backup,
    ]);
    await assert.rejects(stat(backup), { code: 'ENOENT' });
  });
});

interface Place extends StoragePlace, AsyncDisposable {
  store: SqliteStore;
  blobStore: BlobStore;
  clock: number;
  now: () => number;
  isAlive: (owner: LeaseOwner) => boolean;
  packs: TreePacks;
}

async function newPlace(): Promise<Place> {
  count += 1;
  const root = join(folder, `place-${count}`);
  await mkdir(root);
  const path = join(root, 'store.db');
  const blobs = join(root, 'blobs');
  const place: Place = {
    path,
    blobs,
    blobStore: createFileBlobStore(blobs),
    clock: Date.now(),
    now: () => place.clock,
    isAlive: () => true,
    packs: textPacks(createFileBlobStore(blobs)),
    store: await openSqliteStore({ path, now: () => place.clock }),
    [Symbol.asyncDispose]: () => place.store[Symbol.asyncDispose](),
  };
  return place;
}

/** Stores a blob and sets its modification time to long ago. */
async function old(place: Place, text: string): Promise<string> {
  const { id } = await place.blobStore.put(text);
  await utimes(blobPath(place.blobs, id), 1, 1);
  return id;
}

function pretendUnused({ path }: Place, sessionId: string): void {
  const database = new DatabaseSync(path);
  database.prepare('UPDATE heads SET updated_at = 1 WHERE session_id = ?').run(sessionId);
  database.close();
}
