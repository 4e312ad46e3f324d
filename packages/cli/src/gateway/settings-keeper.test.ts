import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfigInput, loadConfig } from '@longhaul/config';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settingsKeeper } from './settings-keeper.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'longhaul-keeper-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function keeperFor({ file, flags = {} }: { file?: string; flags?: ConfigInput } = {}) {
  const loaded = await loadConfig({ cwd: home, home, env: {}, file, flags });
  return { keeper: settingsKeeper({ ...loaded, home }, { env: {}, configFile: file }), loaded };
}

const userFile = () => join(home, '.config', 'longhaul', 'longhaul.yml');

test('stores settings in the user’s file, and loads them at the next start', async () => {
  const { keeper } = await keeperFor();
  expect(keeper.places.compactor).toEqual({ file: userFile() });
  await keeper.store({
    compactor: 'lmstudio/small',
    inputThreshold: 0.6,
    compaction: { lmstudio: 'required-off' },
  });
  const { gateway } = (await keeperFor()).loaded.config;
  expect(gateway).toMatchObject({ compactor: 'lmstudio/small', inputThreshold: 0.6, warningThreshold: 0.9 });
  expect(gateway.upstreams).toMatchObject([{ name: 'lmstudio', compaction: 'required-off' }]);
});

test('stores each setting in the file that sets it', async () => {
  const file = join(home, 'mine.yml');
  await writeFile(file, 'gateway: { inputThreshold: 0.5 } # mine\n');
  const { keeper } = await keeperFor({ file });
  await keeper.store({ inputThreshold: 0.7, warningThreshold: 0.8 });
  expect(await readFile(file, 'utf8')).toBe(
    'gateway: { inputThreshold: 0.7, warningThreshold: 0.8 } # mine\n',
  );
});

test('does not store what a flag sets', async () => {
  const upstreams = [{ name: 'x', baseUrl: 'http://127.0.0.1:1/v1' }];
  const { keeper } = await keeperFor({ flags: { gateway: { upstreams, compactor: 'none' } } });
  expect(keeper.places.upstreams).toEqual({ notStored: 'The flag --upstream sets it at each start.' });
  await keeper.store({ compactor: '__same__', compaction: { x: false } });
  await expect(readFile(userFile(), 'utf8')).rejects.toThrow('ENOENT');
  await keeper.store({ compactor: '__same__', inputThreshold: 0.4 });
  expect(await readFile(userFile(), 'utf8')).toBe('gateway:\n  inputThreshold: 0.4\n');
});
