import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryStore } from '@longhaul/storage/memory';
import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { createFileTrees } from '../src/index.ts';
import { KEY, newPlace, type Place, SETTINGS } from './support.ts';

/** A session that made a file, a folder, a secret and a large file in one step. */
async function worked(place: Place) {
  const at = (name: string) => join(place.workspace, name);
  const tool = testTool('edit', () => {
    writeFileSync(at('file'), 'new');
    mkdirSync(at('empty'));
    writeFileSync(at('.env'), 'KEY=1');
    writeFileSync(at('large'), 'x'.repeat(20_000));
    return text('done');
  });
  const fileTrees = createFileTrees({
    blobs: place.blobs,
    cacheFolder: join(place.path, 'cache'),
    key: KEY,
    settings: { ...SETTINGS, maxFileMb: 0.01 },
  });
  const options = { store: createMemoryStore(), fileTrees, blobs: place.blobs };
  const test = await testRun(playedDriver([calls({ name: 'edit' }), answer('Done.')]), [tool], options);
  const session = { workspace: place.workspace, model: 'played/test', task: 'edit' };
  const { id } = await test.runtime.createSession(session);
  await test.runtime.run(id, { content: [{ type: 'text', text: 'go' }] });
  return { id, files: test.runtime.files, store: test.store, at };
}

const LEFT = ['.env', 'large'];

it('lists files that cannot be restored as left, in the preview and after the revert', async () => {
  await using place = await newPlace();
  const { id, files, at } = await worked(place);
  const preview = await files.revert(id, 'm2', { only: 'files', preview: true });
  const done = await files.revert(id, 'm2', { only: 'files' });
  for (const result of [preview, done]) {
    expect(result.files.map(({ path }) => path)).toEqual(['file']);
    expect(result.skipped.map(({ path }) => path)).toEqual(LEFT);
  }
  expect(readFileSync(at('.env'), 'utf8')).toBe('KEY=1');
});

it('records no revert if only files differ that cannot be restored, so that unrevert takes back the one before', async () => {
  await using place = await newPlace();
  const { id, files, store, at } = await worked(place);
  await files.revert(id, 'm2', { only: 'files' });
  for (const options of [{}, { keep: true }, { force: true }]) {
    const again = await files.revert(id, 'm2', { only: 'files', ...options });
    expect(again).toMatchObject({ status: 'unchanged', files: [] });
    expect(again.skipped.map(({ path }) => path)).toEqual(LEFT);
  }
  expect((await store.readMarks(id)).marks).toHaveLength(1);
  await files.unrevert(id);
  expect(readFileSync(at('file'), 'utf8')).toBe('new');
});

it('records a revert that only makes or deletes folders', async () => {
  await using place = await newPlace();
  const { id, files, at } = await worked(place);
  await files.revert(id, 'm2', { only: 'files' });
  mkdirSync(at('other'));
  expect(await files.revert(id, 'm2', { only: 'files' })).toMatchObject({ status: 'reverted', files: [] });
});

it('does not count files that cannot be restored as files of others that block a revert', async () => {
  await using place = await newPlace();
  const { id, files, at } = await worked(place);
  for (const name of LEFT) rmSync(at(name));
  writeFileSync(at('large'), 'y'.repeat(30_000));
  expect(await files.revert(id, 'm2', { only: 'files' })).toMatchObject({
    status: 'reverted',
    conflicts: [],
  });
  expect(readFileSync(at('large'), 'utf8')).toHaveLength(30_000);
});
