import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileTrees } from '@longhaul/files';
import type { PatchPart } from '@longhaul/protocol';
import { createFileBlobStore } from '@longhaul/storage/blobs';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { FILES_OPTIONS } from '../agent/settings.ts';
import { checkCopy, treesAfter } from './check-copy.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-check-copy-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('checkCopy', () => {
  /** Records two states of a workspace, copies the workspace, and checks the copy. */
  async function check(
    change: (copy: string) => Promise<unknown>,
    { isDone = true, tree = 1 }: { isDone?: boolean; tree?: number } = {},
  ): Promise<number> {
    const paths = {
      blobs: join(folder, 'blobs'),
      fileCache: join(folder, 'cache'),
      restored: join(folder, 'restored'),
    };
    const [workspace, copy] = [join(folder, 'workspace'), join(folder, 'copy')];
    await mkdir(workspace, { recursive: true });
    const trees: string[] = [];
    const files = createFileTrees({
      ...FILES_OPTIONS,
      blobs: createFileBlobStore(paths.blobs),
      cacheFolder: paths.fileCache,
    });
    await using recorder = await files.openRecorder(workspace, undefined);
    for (const text of ['one', 'two']) {
      for (const name of ['a', 'b']) await writeFile(join(workspace, name), text);
      trees.push((await recorder.record())?.after ?? '');
    }
    await cp(workspace, copy, { recursive: true });
    await change(copy);
    const recorded = trees.slice(tree, tree + 1);
    return (await checkCopy(paths, { folder: copy, trees: recorded, isDone })).length;
  }
  const incomplete = (copy: string) => writeFile(join(copy, '.longhaul-incomplete'), '');

  it('accepts a whole copy, and a killed copy that is marked as incomplete', async () => {
    assert.equal(await check(async () => undefined), 0);
    assert.equal(await check(async () => undefined, { isDone: false }), 0);
    const removals: ((copy: string) => Promise<unknown>)[] = [
      (copy) => rm(copy, { recursive: true }),
      (copy) => rm(copy, { recursive: true }).then(() => mkdir(copy)),
      (copy) => rm(join(copy, 'a')).then(() => incomplete(copy)),
    ];
    for (const remove of removals) {
      await rm(join(folder, 'copy'), { recursive: true, force: true });
      assert.equal(await check(remove, { isDone: false }), 0);
      await rm(join(folder, 'copy'), { recursive: true, force: true });
      assert.equal(await check(remove), 1);
    }
  });

  it('reports a copy that looks whole and is not', async () => {
    assert.equal(await check((copy) => rm(join(copy, 'a')), { isDone: false }), 1);
    assert.equal(await check((copy) => writeFile(join(copy, 'a'), 'tw'), { isDone: false }), 1);
    assert.equal(await check(async () => undefined, { tree: 0 }), 2);
    assert.equal(await check(async () => undefined, { tree: 2 }), 1);
  });
});

it('treesAfter returns the trees of the last changed message, or of a later revert', () => {
  const patch = (sequence: number, after: string) => {
    const part: PatchPart = { type: 'patch', after, files: [], byAgent: true };
    return { sequence, part };
  };
  const patches = [patch(2, 't1'), patch(4, 't2'), patch(4, 't3'), patch(8, 't4')];
  const reverts = [
    { at: 6, to: 2, treeBefore: 't3', treeAfter: 't1' },
    { at: 6, to: 2 },
  ];
  const after = [3, 5, 6, 7, 8].map((sequence) => treesAfter(sequence, { patches, reverts, last: 8 }));
  assert.deepEqual(after, [['t1'], ['t2', 't3'], ['t2', 't3'], ['t1'], ['t4']]);
});
