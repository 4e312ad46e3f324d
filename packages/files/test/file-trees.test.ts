import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobStore } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { createMemoryBlobStore } from '@longhaul/storage';
import { type FaultPoint, FILES_FAULT_POINTS, filesFaultPoints } from '@longhaul/testing/fault-points';
import { describe, expect, it } from 'vitest';
import { checkTree, createFileTrees, type FilesStep, packsOf } from '../src/index.ts';
import { bytesOf, KEY, newPlace, type Place, SETTINGS, snapshot } from './support.ts';

function treesOf(place: Place, options: { blobs?: BlobStore; passed?: (step: FilesStep) => void } = {}) {
  const cacheFolder = join(place.path, 'cache');
  return createFileTrees({ blobs: place.blobs, cacheFolder, key: KEY, settings: SETTINGS, ...options });
}

function write(place: Place, path: string, content: string): void {
  mkdirSync(join(place.workspace, path, '..'), { recursive: true });
  writeFileSync(bytesOf(`${place.workspace}/${path}`), content);
}

describe('the thread of a recorder', () => {
  it('records, restores and continues from the last tree, and reports each step', async () => {
    await using place = await newPlace();
    const points: FaultPoint[] = [];
    const passed = filesFaultPoints({ reach: (point) => void points.push(point) });
    const trees = treesOf(place, { passed });
    write(place, 'a/file', 'one\n');
    let first = '';
    {
      await using recorder = await trees.openRecorder(place.workspace, undefined);
      first = (await recorder.record())?.after ?? '';
    }
    write(place, 'a/file', 'two\n');
    await using recorder = await trees.openRecorder(place.workspace, first);
    const change = await recorder.record();
    expect(change).toMatchObject({
      before: first,
      files: [{ path: 'a/file', change: 'modified', added: 1, removed: 1 }],
    });
    expect(await recorder.restore(first)).toMatchObject({ skipped: [], files: [{ path: 'a/file' }] });
    expect(snapshot(place.workspace)['a/file']).toBe('file 644 one\n');
    expect(await recorder.record()).toBeUndefined();
    expect(new Set(points)).toEqual(new Set(FILES_FAULT_POINTS));
  });

  it('passes errors of the blob store on with their code, and works afterwards', async () => {
    await using place = await newPlace();
    const blobs = createMemoryBlobStore();
    let isFull = true;
    const full: BlobStore = {
      ...blobs,
      put: async (data) => {
        if (isFull) throw new LonghaulError('store_full', 'The disk is full.', { data: { path: '/x' } });
        return blobs.put(data);
      },
      read: (id, range) => blobs.read(id, range),
      stat: (id) => blobs.stat(id),
    };
    write(place, 'file', 'one');
    await using recorder = await treesOf(place, { blobs: full }).openRecorder(place.workspace, undefined);
    await expect(recorder.record()).rejects.toMatchObject({ code: 'store_full', data: { path: '/x' } });
    isFull = false;
    expect(await recorder.record()).toMatchObject({ files: [] });
  });

  it('reports a missing workspace, and finds it when it is back', async () => {
    await using place = await newPlace();
    const workspace = join(place.path, 'later');
    await using recorder = await treesOf(place).openRecorder(workspace, undefined);
    await expect(recorder.record()).rejects.toMatchObject({ code: 'not_found' });
    mkdirSync(workspace);
    expect(await recorder.record()).toMatchObject({ files: [] });
  });

  it('shows names that are not valid UTF-8, with their bytes', async () => {
    await using place = await newPlace();
    await using recorder = await treesOf(place).openRecorder(place.workspace, undefined);
    await recorder.record();
    write(place, 'x\xff', 'one\n');
    expect((await recorder.record())?.files).toEqual([
      {
        path: 'x\ufffd',
        pathBytes: Buffer.from('x\xff', 'latin1').toString('base64'),
        change: 'added',
        mode: '100644',
        added: 1,
        removed: 0,
        restorable: true,
      },
    ]);
  });

  it('names a limited number of files and counts the others', async () => {
    await using place = await newPlace();
    await using recorder = await treesOf(place).openRecorder(place.workspace, undefined);
    const first = await recorder.record();
    for (let index = 0; index < 1_003; index += 1) write(place, `file${index}`, `${index}`);
    const change = await recorder.record();
    expect(change).toMatchObject({ more: 3 });
    expect(change?.files).toHaveLength(1_000);
    const all = await treesOf(place).changes(first?.after ?? '', change?.after ?? '', {
      limit: Number.POSITIVE_INFINITY,
    });
    expect(all.files).toHaveLength(1_003);
    expect(all.more).toBeUndefined();
  });

  it('lists folders of a tree and reads its files, also after they have changed', async () => {
    await using place = await newPlace();
    const umlaut = Buffer.from('a/ü.txt').toString('latin1');
    write(place, umlaut, 'one');
    write(place, 'a/b/c', 'two');
    write(place, '.env', 'TOKEN=secret');
    await using recorder = await treesOf(place).openRecorder(place.workspace, undefined);
    const { after = '' } = (await recorder.record()) ?? {};
    write(place, umlaut, 'changed');
    const trees = treesOf(place);
    expect(await trees.list(after, '')).toEqual([
      { name: '.env', kind: 'secret' },
      { name: 'a', kind: 'folder' },
    ]);
    expect(await trees.list(after, 'a')).toEqual([
      { name: 'b', kind: 'folder' },
      { name: 'ü.txt', kind: 'file', size: 3 },
    ]);
    const text = async (path: string) =>
      new TextDecoder().decode(await trees.read(after, path, { maxBytes: 100 }));
    expect([await text('a/ü.txt'), await text('a/b/c')]).toEqual(['one', 'two']);
    for (const path of ['a', 'b', 'a/../a/b/c', '/a/b/c', 'a/b/c/d', ''])
      await expect(text(path), path).rejects.toMatchObject({ code: 'not_found' });
    await expect(trees.list(after, 'a/b/c')).rejects.toMatchObject({ code: 'not_found' });
    await expect(text('.env')).rejects.toMatchObject({ code: 'invalid_request' });
    const small = trees.read(after, 'a/b/c', { maxBytes: 2 });
    await expect(small).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('refuses to materialise into a folder with files', async () => {
    await using place = await newPlace();
    write(place, 'file', 'one');
    await using recorder = await treesOf(place).openRecorder(place.workspace, undefined);
    const { after = '' } = (await recorder.record()) ?? {};
    await expect(treesOf(place).materialise(after, place.workspace)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(treesOf(place).materialise(after, join(place.workspace, 'file'))).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('is not a folder'),
    });
  });

  it('marks a folder as incomplete until all files are written', async () => {
    await using place = await newPlace();
    for (const name of ['a', 'b', 'c/d']) write(place, name, name);
    await using recorder = await treesOf(place).openRecorder(place.workspace, undefined);
    const { after = '' } = (await recorder.record()) ?? {};
    const folder = join(place.path, 'copy');
    const names: string[][] = [];
    const passed = (step: string) => {
      if (step !== 'entry-restored') return;
      names.push(readdirSync(folder).sort());
      if (names.length === 3) throw new Error('killed');
    };
    await expect(treesOf(place, { passed }).materialise(after, folder)).rejects.toThrow('killed');
    expect(names[0]).toEqual(['.longhaul-incomplete', 'a']);
    expect(snapshot(folder)).toHaveProperty('.longhaul-incomplete');
    await expect(treesOf(place).materialise(after, folder)).rejects.toThrow(/has an incomplete copy/);

    const whole = join(place.path, 'whole');
    await treesOf(place).materialise(after, whole);
    expect(snapshot(whole)).toEqual(snapshot(place.workspace));
    write(place, '.longhaul-incomplete', '');
    expect(await recorder.record()).toBeUndefined();
  });
});

describe('the blobs of trees', () => {
  /** Records 80 states, so that some folders have a second chain of deltas. */
  async function record(place: Place) {
    const stored: string[] = [];
    const recorder = await place.open(undefined, {
      blobs: {
        read: (id, range) => place.blobs.read(id, range),
        stat: (id) => place.blobs.stat(id),
        putPack: async ({ id, bytes }) => {
          stored.push(id);
          await place.blobs.put(bytes);
        },
      },
    });
    const states: { tree: string; files: Record<string, string> }[] = [];
    for (let index = 0; index < 20; index += 1) write(place, `a/b/file${index}`, `${index}`);
    for (let round = 0; round < 80; round += 1) {
      write(place, `a/b/file${round % 20}`, `round ${round}`);
      write(place, `c/file${round % 7}`, `round ${round}`);
      const change = await recorder.record();
      states.push({ tree: change?.after ?? '', files: snapshot(place.workspace) });
    }
    return { states, stored };
  }

  it('are exactly those without which a tree cannot be read', async () => {
    await using place = await newPlace();
    const { states, stored } = await record(place);
    expect(
      await packsOf(
        place.blobs,
        states.map(({ tree }) => tree),
      ),
    ).toEqual({
      packs: new Set(stored),
      broken: [],
    });
    for (const { tree, files } of [states[40], states[79]].filter((state) => state !== undefined)) {
      const { packs } = await packsOf(place.blobs, [tree]);
      expect(packs.size).toBeLessThan(60);
      const only = createMemoryBlobStore();
      for (const id of packs) await only.put(await place.blobs.get(id));
      const folder = join(place.path, tree.slice(-8));
      await treesOf(place, { blobs: only }).materialise(tree, folder);
      expect(snapshot(folder)).toEqual(files);
      expect(await checkTree(only, tree)).toMatchObject({
        compared: Object.values(files).filter((text) => text.startsWith('file')).length,
        problems: [],
      });
      for (const missing of packs) {
        const without = createMemoryBlobStore();
        for (const id of packs) if (id !== missing) await without.put(await place.blobs.get(id));
        expect((await checkTree(without, tree)).problems).not.toEqual([]);
      }
    }
  });

  it('are reported as broken if a folder cannot be read', async () => {
    await using place = await newPlace();
    const { states } = await record(place);
    const [good = '', bad = ''] = [states[0]?.tree, states[79]?.tree];
    const blobs = createMemoryBlobStore();
    const id = good.slice('@tree:'.length);
    await blobs.put(await place.blobs.get(id));
    expect(await packsOf(blobs, [bad, good, 'nonsense'])).toEqual({
      packs: new Set([id, bad.slice('@tree:'.length)]),
      broken: [bad, 'nonsense'],
    });
  });

  it('never give another content when any byte of them is changed', async () => {
    await using place = await newPlace();
    write(place, 'a/file', 'content '.repeat(30));
    write(place, 'b', 'x');
    const { after = '' } = (await (await place.open()).record()) ?? {};
    const id = after.slice('@tree:'.length);
    const bytes = await place.blobs.get(id);
    for (let at = 0; at < bytes.length; at += 1) {
      const flipped = Uint8Array.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x11;
      const blobs = {
        stat: async () => ({ size: flipped.length }),
        read: async (_: string, { start, length }: { start: number; length: number }) =>
          flipped.subarray(start, start + length),
      };
      const check = await checkTree(blobs, after);
      const isWhole = check.problems.length === 0;
      // Without a problem, everything must be as recorded: the changed byte is one that no reader needs.
      if (isWhole) expect([at, check.compared]).toEqual([at, 2]);
    }
    expect(readdirSync(place.workspace)).toEqual(['a', 'b']);
  });
});
