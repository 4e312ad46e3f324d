import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileTrees } from '@longhaul/files';
import type { PatchPart } from '@longhaul/protocol';
import { createFileBlobStore } from '@longhaul/storage/blobs';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { FILES_OPTIONS } from '../agent/settings.ts';
import type { StoredFiles } from '../records/read-files.ts';
import { checkReverts, checkTrees, checkWorkspace } from './check-files.ts';
import type { Defect } from './defect.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-check-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('checkReverts', () => {
  const killed = { at: 9, to: 9, treeBefore: '@tree:new', treeAfter: '@tree:old' };
  const none: StoredFiles = { reverts: [], patches: [], last: 9 };

  it('accepts a killed revert that was finished', () => {
    assert.deepEqual(checkReverts({ ...none, reverts: [killed] }, [killed, killed]), []);
  });

  it('reports a revert that is still unfinished', () => {
    assert.deepEqual(kindsOf(checkReverts({ ...none, reverts: [killed], pending: killed }, [killed])), [
      'corruption',
    ]);
  });

  it('reports a forgotten killed revert, even if its undo was completed', () => {
    const lost = '@tree:old was lost';
    const undoing = { ...killed, undoes: 'id' };
    for (const reverts of [[], [undoing]])
      assert.ok(checkReverts({ ...none, reverts }, [killed])[0]?.what.includes(lost));
  });

  it('reports a killed revert that was finished with files of both states', () => {
    const mixed = { ...killed, treeAfter: '@tree:mixed' };
    const [found, ...others] = checkReverts({ ...none, reverts: [mixed] }, [killed]);
    assert.match(found?.what ?? '', /finished with the files of @tree:mixed/);
    assert.deepEqual(others, []);
  });
});

describe('checkWorkspace', () => {
  async function compare(change: (workspace: string) => Promise<unknown>): Promise<string[]> {
    const recorded = join(folder, 'recorded');
    const workspace = join(folder, 'workspace');
    await mkdir(join(recorded, 'notes'), { recursive: true });
    await writeFile(join(recorded, 'notes', '1.md'), 'one');
    await writeFile(join(recorded, 'run.sh'), 'true', { mode: 0o755 });
    await cp(recorded, workspace, { recursive: true });
    await writeFile(join(workspace, 'effects.jsonl'), '{}');
    await change(workspace);
    return checkWorkspace(workspace, recorded).map(({ what }) => what);
  }

  it('accepts equal files, besides those that are not recorded', async () => {
    assert.deepEqual(await compare(async () => undefined), []);
  });

  it('reports a file with other contents, mode or kind', async () => {
    for (const change of [
      (at: string) => writeFile(join(at, 'notes', '1.md'), 'two'),
      async (at: string) => {
        await rm(join(at, 'run.sh'));
        await writeFile(join(at, 'run.sh'), 'true', { mode: 0o644 });
      },
    ]) {
      const [found, ...others] = await compare(change);
      assert.match(found ?? '', /of the workspace is not as recorded/);
      assert.deepEqual(others, []);
      await rm(join(folder, 'workspace'), { recursive: true });
    }
  });

  it('reports a file too few and a file too many', async () => {
    const found = await compare(async (at) => {
      await rm(join(at, 'notes', '1.md'));
      await writeFile(join(at, 'notes', '2.md'), 'one');
    });
    assert.deepEqual(found, [
      'notes/2.md of the workspace is not recorded',
      'notes/1.md of the workspace is missing',
    ]);
  });
});

describe('checkTrees', () => {
  it('reports a recorded tree whose contents are gone', async () => {
    const workspace = join(folder, 'workspace');
    const paths = join(folder, 'blobs');
    await mkdir(workspace);
    await writeFile(join(workspace, 'a.txt'), 'a');
    const blobs = createFileBlobStore(paths);
    const trees = createFileTrees({ ...FILES_OPTIONS, blobs, cacheFolder: join(folder, 'cache') });
    await using recorder = await trees.openRecorder(workspace, undefined);
    const after = (await recorder.record())?.after ?? '';
    const part: PatchPart = { type: 'patch', after, files: [], byAgent: true };
    const stored: StoredFiles = { reverts: [], patches: [{ sequence: 1, part }], last: 1 };
    assert.deepEqual(await checkTrees(stored, paths), []);
    for (const name of await readdir(paths)) await rm(join(paths, name), { recursive: true });
    assert.deepEqual(kindsOf(await checkTrees(stored, paths)), ['corruption']);
  });
});

function kindsOf(defects: readonly Defect[]): string[] {
  return defects.map(({ kind }) => kind);
}
