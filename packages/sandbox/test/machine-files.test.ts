import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSandboxDriver } from '../src/index.ts';
import { describeKind, makeWorkspace } from './support.ts';

const decode = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const REFUSED = { code: 'path_outside_workspace' };

async function makeOutside() {
  const outside = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-outside-')));
  await writeFile(join(outside, 'file'), 'text outside');
  return { outside, [Symbol.asyncDispose]: () => rm(outside, { recursive: true }) };
}

it('lets tools use paths outside a local workspace, however they are written', async () => {
  await using folders = await makeWorkspace();
  await using place = await makeOutside();
  await using sandbox = await createSandboxDriver('local').open(folders.options());
  const { toolFiles: files } = sandbox;
  const file = join(place.outside, 'file');
  await symlink(file, join(folders.workspace, 'link'));
  await symlink(folders.workspace, join(place.outside, 'back'));
  const up = `${'../'.repeat(30)}${file.slice(1)}`;
  for (const path of [file, 'link', up, `${folders.workspace}/link`]) {
    expect(decode(await files.read(path))).toBe('text outside');
    expect(await files.resolve(path)).toBe(file);
  }
  await files.write(join(place.outside, 'new', 'made'), 'made');
  expect(await readFile(join(place.outside, 'new', 'made'), 'utf8')).toBe('made');
  await files.write('inside', 'x');
  expect(await files.resolve(join(place.outside, 'back', 'inside'))).toBe('inside');
  expect((await files.list(place.outside)).map(({ name }) => name)).toEqual(['back', 'file', 'new']);
  expect(await files.stat(join(place.outside, 'absent'))).toBeUndefined();
  // Everything but the tools stays in the workspace.
  for (const path of [file, 'link', up])
    await expect(sandbox.files.read(path)).rejects.toMatchObject(REFUSED);
});

it('refuses what belongs to Longhaul, and /proc, whatever leads there', async () => {
  await using folders = await makeWorkspace();
  await using place = await makeOutside();
  const own = join(folders.workspace, '.own');
  await mkdir(own);
  await writeFile(join(own, 'longhaul.yml'), 'key');
  await symlink(place.outside, join(folders.workspace, 'link'));
  await symlink('/proc/self/environ', join(folders.workspace, 'environ'));
  const options = folders.options({ refusedPaths: [own, join(place.outside, 'file')] });
  await using sandbox = await createSandboxDriver('local').open(options);
  const { toolFiles: files } = sandbox;
  const below = files.elsewhere?.(place.outside);
  for (const path of [
    '.own/longhaul.yml',
    join(own, 'longhaul.yml'),
    'link/file',
    join(place.outside, 'file'),
  ]) {
    await expect(files.read(path)).rejects.toMatchObject({ ...REFUSED, message: /belongs to Longhaul/ });
    await expect(files.write(path, 'x')).rejects.toMatchObject(REFUSED);
    await expect(files.stat(path)).rejects.toMatchObject(REFUSED);
  }
  await expect(below?.read('file')).rejects.toMatchObject(REFUSED);
  await expect(files.list('.own')).rejects.toMatchObject(REFUSED);
  await expect(files.write('.own/new', 'x')).rejects.toMatchObject(REFUSED);
  if (process.platform !== 'linux') return;
  for (const path of ['/proc/self/environ', 'environ', `/proc/${process.pid}/environ`, '/proc/cpuinfo'])
    await expect(files.read(path)).rejects.toMatchObject({ ...REFUSED, message: /use bash|Use bash/ });
  // The link of a process to the root folder is followed to what it names.
  await expect(files.read(`/proc/self/root${own}/longhaul.yml`)).rejects.toMatchObject(REFUSED);
});

await describeKind('bubblewrap', () => {
  it('says that bash can read a refused path where that is so', async () => {
    await using folders = await makeWorkspace();
    await using sandbox = await createSandboxDriver('bubblewrap').open(folders.options());
    const refusal = (path: string) =>
      sandbox.toolFiles.read(path).then(decode, (error: Error) => error.message);
    for (const path of ['/etc/hosts', '/usr/include/stdio.h', '/tmp/made'])
      expect(await refusal(path)).toMatch(/leads out of the workspace.*To read it, use bash/);
    for (const path of ['/root/.ssh/id_rsa', '/home/user/x', '/etc/../root/x', '../x', '/var/log/x'])
      expect(await refusal(path)).toMatch(/leads out of the workspace(?!.*bash)/);
    expect(sandbox.toolFiles.elsewhere).toBeUndefined();
  });
});
