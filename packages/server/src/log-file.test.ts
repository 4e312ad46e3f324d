import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLogFile } from './log-file.ts';

it('lets others no longer read a log that all users could read, also when it is opened again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-log-'));
  const path = join(folder, 'server.log');
  const modeOf = async () => ((await stat(path)).mode & 0o777).toString(8);
  await writeFile(path, 'old\n');
  await chmod(path, 0o644);
  using log = openLogFile(path);
  expect(await modeOf()).toBe('600');
  await chmod(path, 0o646);
  log.reopen();
  log.write('new\n');
  expect(await modeOf()).toBe('600');
  await chmod(path, 0o640);
  log.reopen();
  expect(await modeOf()).toBe('640');
  expect(await readFile(path, 'utf8')).toBe('old\nnew\n');
  await rm(folder, { recursive: true, force: true });
});

it('names the folder that does not exist', () => {
  expect(() => openLogFile('/does-not-exist/server.log')).toThrow(
    '/does-not-exist/server.log cannot be written',
  );
});
