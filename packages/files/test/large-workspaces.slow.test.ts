import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { lacks } from '@longhaul/testing/machine';
import { expect, it } from 'vitest';
import { createFileTrees } from '../src/index.ts';
import { KEY, newPlace, type Place, SETTINGS, snapshot } from './support.ts';

const run = promisify(execFile);

it('records and restores 100,000 files, and finds one change among them', { timeout: 600_000 }, async () => {
  await using place = await newPlace();
  for (let folder = 0; folder < 100; folder += 1) {
    const path = join(place.workspace, `folder${folder}`);
    mkdirSync(path);
    for (let index = 0; index < 1_000; index += 1)
      writeFileSync(join(path, `file${index}`), `${folder}/${index}`);
  }
  const trees = createFileTrees({
    blobs: place.blobs,
    cacheFolder: join(place.path, 'cache'),
    key: KEY,
    settings: SETTINGS,
  });
  await using recorder = await trees.openRecorder(place.workspace, undefined);
  const first = await recorder.record();
  writeFileSync(join(place.workspace, 'folder50', 'file500'), 'changed');
  expect((await recorder.record())?.files).toMatchObject([{ path: 'folder50/file500', change: 'modified' }]);
  rmSync(join(place.workspace, 'folder7'), { recursive: true });
  expect((await recorder.record())?.files).toHaveLength(1_000);
  expect((await recorder.restore(first?.after ?? '')).skipped).toEqual([]);
  expect(readFileSync(join(place.workspace, 'folder50', 'file500'), 'utf8')).toBe('50/500');
  expect(Object.keys(snapshot(place.workspace))).toHaveLength(100_100);
  expect(await recorder.record()).toBeUndefined();
});

const AS_NOBODY = `
  process.setgid(65534);
  process.setuid(65534);
  const { createFileTrees } = await import(process.argv[1]);
  const { createMemoryBlobStore } = await import(process.argv[2]);
  const [, , , folder] = process.argv;
  const { chmodSync, writeFileSync } = await import('node:fs');
  const settings = { ignore: [], secret: [], maxFileMb: 20 };
  const trees = createFileTrees({ blobs: createMemoryBlobStore(), cacheFolder: folder + '/cache', key: Buffer.alloc(32), settings });
  const workspace = folder + '/workspace';
  const recorder = await trees.openRecorder(workspace, undefined);
  const changes = [await recorder.record()];
  chmodSync(workspace + '/file', 0);
  chmodSync(workspace + '/folder', 0);
  writeFileSync(workspace + '/readable', 'two');
  changes.push(await recorder.record());
  changes.push(await recorder.restore(changes[0].after));
  chmodSync(workspace + '/file', 0o644);
  chmodSync(workspace + '/folder', 0o755);
  changes.push((await recorder.record()) ?? null);
  changes.push(await recorder.restore(changes[1].after));
  await recorder[Symbol.asyncDispose]();
  console.log(JSON.stringify(changes));
`;

it('records that files and folders cannot be read, and never counts them as deleted', async ({ skip }) => {
  if (process.getuid?.() !== 0) return lacks('root', 'only root can start a process as another user', skip);
  await using place = await newPlace();
  writeUnreadable(place);
  await run('chown', ['-R', '65534:65534', place.path]);
  const modules = ['../src/index.ts', '../../storage/src/index.ts'].map(
    (path) => new URL(path, import.meta.url).href,
  );
  const { stdout } = await run(process.execPath, [
    ...FROM_SOURCE,
    '--input-type=module',
    '--eval',
    AS_NOBODY,
    ...modules,
    place.path,
  ]);
  const [first, second, restored, last, again] = JSON.parse(stdout);
  expect(first.files).toEqual([]);
  expect(second.files).toMatchObject([
    { path: 'file', change: 'modified', restorable: false },
    { path: 'folder', change: 'modified', restorable: false },
    { path: 'readable', change: 'modified' },
  ]);
  expect(restored.skipped).toMatchObject([{ path: 'file' }, { path: 'folder' }]);
  expect(last).toBeNull();
  // What could not be read then is not deleted now.
  expect(again.skipped).toMatchObject([{ path: 'file' }, { path: 'folder' }]);
  expect(readFileSync(join(place.workspace, 'folder', 'inner'), 'utf8')).toBe('inner');
});

function writeUnreadable({ workspace, path }: Place): void {
  chmodSync(path, 0o755);
  writeFileSync(join(workspace, 'file'), 'one');
  writeFileSync(join(workspace, 'readable'), 'one');
  mkdirSync(join(workspace, 'folder'));
  writeFileSync(join(workspace, 'folder', 'inner'), 'inner');
}
