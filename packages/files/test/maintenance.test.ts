import { mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lease } from '@longhaul/core';
import type { PatchPart } from '@longhaul/protocol';
import { createFileBlobStore } from '@longhaul/storage/blobs';
import { collectGarbage, examineContents, planGarbage, type TreePacks } from '@longhaul/storage/maintenance';
import { openSqliteStore, type SqliteStore } from '@longhaul/storage/sqlite';
import { describe, expect, it } from 'vitest';
import { checkTree, isPack, packsOf } from '../src/index.ts';
import { newPlace, recorderBlobs, snapshot } from './support.ts';

const DAY_MS = 86_400_000;

/** A workspace, and a store with the sessions that work in it. */
async function openStored() {
  const place = await newPlace();
  const path = join(place.path, 'store.db');
  const folder = join(place.path, 'blobs');
  const blobs = createFileBlobStore(folder);
  const clock = { now: Date.now() };
  const store = await openSqliteStore({ path, now: () => clock.now });
  const packs: TreePacks = {
    packsOf: (references) => packsOf(blobs, references),
    checkTree: (reference) => checkTree(blobs, reference),
    isPack: (id) => isPack(blobs, id),
  };
  const now = () => clock.now;
  return {
    ...place,
    stored: { path, blobs: folder },
    blobs,
    store,
    clock,
    options: { isAlive: () => false, packs, now },
    recorder: (tree?: string) => place.open(tree, { blobs: recorderBlobs(blobs) }),
    write(name: string, text: string) {
      mkdirSync(join(place.workspace, name, '..'), { recursive: true });
      writeFileSync(join(place.workspace, name), text);
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

type Stored = Awaited<ReturnType<typeof openStored>>;

async function begin(store: SqliteStore, id: string): Promise<Lease> {
  await store.createSession({ id, createdAt: 1, task: id, title: id, model: 'm', workspace: '/' });
  const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
  return (await store.acquireLease(id, { runId: `run-${id}`, owner, ttlMs: 1000, isAlive: () => false }))
    .lease;
}

async function addPatch(store: SqliteStore, lease: Lease, after: string): Promise<void> {
  const base = { status: 'done', createdAt: 1, tokenCount: 1, role: 'assistant' } as const;
  const part: PatchPart = { type: 'patch', after, files: [], byAgent: true };
  await store.appendMessage(lease, { id: `${lease.sessionId}-${after}`, ...base, parts: [part] });
}

/** Records many states, so that the folder becomes a chain of deltas over several packs. */
async function recordStates({ recorder, write, store }: Stored, session: string, count: number) {
  const lease = await begin(store, session);
  const opened = await recorder();
  const trees: string[] = [];
  for (let index = 0; index < 20; index++) write(`many/${session}-${index}`, `start ${index}\n`.repeat(50));
  for (let index = 0; index < count; index++) {
    write(`many/${session}-${index % 20}`, `state ${index} of ${session}\n`.repeat(50));
    const tree = (await opened.record())?.after ?? '';
    trees.push(tree);
    await addPatch(store, lease, tree);
  }
  return trees;
}

async function problemsOf({ blobs }: Stored, tree: string) {
  return (await checkTree(blobs, tree)).problems;
}

describe('garbage collection of recorded files', () => {
  it('keeps every tree of the sessions that stay, byte for byte, and removes the packs of the others', async () => {
    await using place = await openStored();
    const gone = await recordStates(place, 'gone', 8);
    place.clock.now += DAY_MS;
    const kept = await recordStates(place, 'kept', 40);
    place.clock.now += DAY_MS;
    const plan = await planGarbage(place.stored, { olderThanMs: DAY_MS * 1.5 }, place.options);
    expect(plan.drop.map(({ id }) => id)).toEqual(['gone']);
    const report = await collectGarbage(place.stored, { sessions: ['gone'], backups: [] }, place.options);
    expect(report.brokenTrees).toBeUndefined();
    expect(report.swept).toEqual(plan.swept);
    expect(report.swept?.blobs.count).toBe(gone.length);
    for (const tree of kept) expect(await problemsOf(place, tree)).toEqual([]);
    const recorder = await place.recorder(kept[0]);
    const now = snapshot(place.workspace);
    const last = kept.at(-1) ?? '';
    await recorder.restore(kept[0] ?? '');
    await recorder.restore(last);
    expect(snapshot(place.workspace)).toEqual(now);
    const again = await collectGarbage(place.stored, { sessions: [], backups: [] }, place.options);
    expect(again.swept?.blobs.count).toBe(0);
  });

  it('keeps the packs of a state that is not in a session yet, for an hour', async () => {
    await using place = await openStored();
    const [named = ''] = await recordStates(place, 's', 1);
    place.clock.now += DAY_MS;
    const opened = await place.recorder(named);
    place.write('new', 'not named yet\n');
    const tree = (await opened.record())?.after ?? '';
    const soon = { ...place.options, now: Date.now };
    expect((await collectGarbage(place.stored, { sessions: [], backups: [] }, soon)).swept?.blobs.count).toBe(
      0,
    );
    expect(await problemsOf(place, tree)).toEqual([]);
    const later = await collectGarbage(place.stored, { sessions: [], backups: [] }, place.options);
    expect(later.swept?.blobs.count).toBe(1);
    expect(await problemsOf(place, named)).toEqual([]);
  });

  it('keeps all packs while a needed one is damaged', async () => {
    await using place = await openStored();
    const trees = await recordStates(place, 's', 5);
    const opened = await place.recorder();
    place.write('unneeded', 'nobody names this state\n');
    await opened.record();
    truncateSync(fileOf(place, trees[0] ?? ''), 30);
    place.clock.now += DAY_MS;
    const report = await collectGarbage(place.stored, { sessions: [], backups: [] }, place.options);
    expect(report.swept?.blobs.count).toBe(0);
    expect(report.brokenTrees).toBe(5);
  });
});

describe('the check of recorded files', () => {
  it('names the session and the part of a state whose pack is missing, and the states that build on it', async () => {
    await using place = await openStored();
    const trees = await recordStates(place, 's', 3);
    const { isAlive, packs } = place.options;
    const examine = (deep: boolean) =>
      examineContents(place.stored, { isAlive, compareBlobs: 0, ...(deep && { packs }) });
    expect((await examine(true)).files).toEqual({ trees: 3, packs: 3, places: [] });
    rmSync(fileOf(place, trees[1] ?? ''));
    expect((await examine(false)).files.places).toEqual([
      expect.stringMatching(/^session s, m2\.0: blob [0-9a-f]{12} is missing$/),
    ]);
    const { places } = (await examine(true)).files;
    expect(places[0]).toMatch(/^session s, m2\.0: blob [0-9a-f]{12} is missing$/);
    expect(places[1]).toBe('session s, m3.0: it cannot be read, with the content of many');
  });

  it('finds changed bytes in the content of a file', async () => {
    await using place = await openStored();
    const lease = await begin(place.store, 's');
    const opened = await place.recorder();
    place.write('plain', Array.from({ length: 9 }, (_, index) => `${index}`).join());
    const tree = (await opened.record())?.after ?? '';
    await addPatch(place.store, lease, tree);
    const path = fileOf(place, tree);
    const bytes = await place.blobs.get(tree.slice('@tree:'.length));
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    rmSync(path);
    writeFileSync(path, bytes);
    utimesSync(path, 1, 1);
    const { files } = await examineContents(place.stored, { ...place.options, compareBlobs: 0 });
    expect(files.places).toEqual([expect.stringMatching(/^session s, m1\.0: blob [0-9a-f]{12} is damaged$/)]);
  });
});

function fileOf({ stored }: { stored: { blobs: string } }, tree: string): string {
  const id = tree.slice('@tree:'.length);
  return join(stored.blobs, id.slice(0, 2), id.slice(2));
}
