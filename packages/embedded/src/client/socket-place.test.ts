import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { socketPlace } from './socket-place.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-socket-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it.skipIf(process.platform === 'win32')('says why a folder for sockets cannot be used', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const refused = (runtime: string) => expect(socketPlace('id', { XDG_RUNTIME_DIR: runtime })).rejects;
  await refused(file).toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('cannot be created'),
  });
  await refused(join(folder, 'x'.repeat(100))).toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('at most 103 bytes'),
  });
});
