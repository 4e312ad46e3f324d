import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
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

it('lets tools use a copied workspace below what belongs to Longhaul, and nothing else there', async () => {
  await using folders = await makeWorkspace();
  await writeFile(join(folders.workspace, 'file'), 'in the copy');
  const above = join(folders.workspace, '..');
  await using place = await makeOutside();
  const refusedPaths = [above, place.outside];
  await using copy = await createSandboxDriver('local').open(folders.options({ refusedPaths, isCopy: true }));
  expect(decode(await copy.toolFiles.read('file'))).toBe('in the copy');
  for (const path of ['..', '../other', join(place.outside, 'file')])
    await expect(copy.toolFiles.stat(path)).rejects.toMatchObject(REFUSED);
  await using plain = await createSandboxDriver('local').open(folders.options({ refusedPaths }));
  await expect(plain.toolFiles.read('file')).rejects.toMatchObject(REFUSED);
});

it('refuses what belongs to Longhaul, and /proc, by any path', async () => {
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
  await expect(files.read('/proc/cpuinfo')).rejects.toMatchObject({ ...REFUSED, message: /Use bash/ });
  for (const path of ['/proc/self/environ', 'environ', `/proc/${process.pid}/environ`, '/proc/self/mem'])
    await expect(files.read(path)).rejects.toMatchObject({
      ...REFUSED,
      message: /is in \/proc, where file tools cannot read\.$/,
    });
  // The link of a process to the root folder is followed to what it names.
  await expect(files.read(`/proc/self/root${own}/longhaul.yml`)).rejects.toMatchObject(REFUSED);
});

await describeKind('bubblewrap', () => {
  it('explains what bash can do with a refused path, as far as it is true in the sandbox', async () => {
    await using folders = await makeWorkspace();
    await using sandbox = await createSandboxDriver('bubblewrap').open(folders.options());
    const refusals = (path: string) =>
      Promise.all(
        [() => sandbox.toolFiles.read(path), () => sandbox.toolFiles.write(path, 'x')].map((call) =>
          call().then(String, (error: Error) => error.message),
        ),
      );
    const inSandbox = async (path: string) => {
      const ended = await sandbox.exec(`cat '${path}'`, { timeoutMs: 20_000, onOutput: () => undefined });
      return ended.ended === 'exit' && ended.exitCode === 0;
    };
    const etc = (await readdir('/etc', { withFileTypes: true })).filter((entry) => entry.isFile());
    const claims = new Map<string, boolean>();
    for (const path of ['/usr/bin/env', '/usr/none', ...etc.slice(0, 60).map(({ name }) => `/etc/${name}`)]) {
      for (const refusal of await refusals(path)) {
        expect(refusal).toMatch(/leads out of the workspace/);
        expect(refusal).not.toMatch(/To read it/);
        claims.set(path, refusal.includes('bash can read it'));
      }
    }
    const read: [string, boolean][] = [];
    for (const path of claims.keys()) read.push([path, await inSandbox(path)]);
    expect(Object.fromEntries(claims)).toEqual(Object.fromEntries(read));
    expect([...claims.values()]).toContain(true);
    for (const refusal of await refusals('/tmp/made'))
      expect(refusal).toMatch(/\/tmp belongs to the sandbox/);
    for (const path of [
      '/root/.ssh/id_rsa',
      '/home/user/x',
      '/etc/../root/x',
      '../x',
      '/var/log/x',
      '/proc/1/mem',
    ])
      for (const refusal of await refusals(path)) expect(refusal).not.toMatch(/bash/);
    expect(sandbox.toolFiles.elsewhere).toBeUndefined();
  });
});
