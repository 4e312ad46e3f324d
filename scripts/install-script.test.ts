import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hostTarget } from './binary/targets.ts';

const SCRIPT = fileURLToPath(new URL('install.sh', import.meta.url));
const NAME = `longhaul-${hostTarget()}`;
const PROGRAM = '#!/bin/sh\necho 1.2.3\n';
const sumOf = (content: string) => createHash('sha256').update(content).digest('hex');

let files: Record<string, string> = {};
let server: Server;
let url: string;
let root: string;

beforeAll(async () => {
  server = createServer(({ url: path = '' }, response) => {
    const content = files[path.slice(1)];
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  root = await mkdtemp(join(tmpdir(), 'longhaul-install-'));
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(root, { recursive: true });
});

let bin: string;
beforeEach(async () => {
  bin = join(await mkdtemp(join(root, 'place-')), 'my bin');
  files = { [NAME]: PROGRAM, SHA256SUMS: `${sumOf('x')}  longhaul-other\n${sumOf(PROGRAM)}  ${NAME}\n` };
});

async function install(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = root,
  shell = ['sh'],
) {
  const [program = '', ...flags] = shell;
  const child = spawn(program, [...flags, SCRIPT, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

const installed = () => readdir(bin).catch(() => []);

it('installs the file for this machine, replaces an earlier one, and says if its folder is not on the PATH', async () => {
  const first = await install(['--base-url', url, '--to', bin]);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain(`Installed longhaul 1.2.3 in ${bin}.\n${bin} is not on your PATH.`);
  expect(await readFile(join(bin, 'longhaul'), 'utf8')).toBe(PROGRAM);
  await writeFile(join(bin, 'longhaul'), 'old');
  const env = { LONGHAUL_BASE_URL: url, PATH: `${process.env['PATH']}:${bin}` };
  expect((await install(['--to', bin], env)).stdout).not.toContain('is not on your PATH');
  expect(await readFile(join(bin, 'longhaul'), 'utf8')).toBe(PROGRAM);
  expect(await installed()).toEqual(['longhaul']);
});

it('takes a relative folder, and slashes at the end of both', async () => {
  const cwd = join(bin, '..');
  const args = ['--base-url', `${url}/`, '--to', 'my bin/'];
  const env = { PATH: `${bin}:${process.env['PATH']}` };
  expect(await install(args, env, cwd)).toMatchObject({
    code: 0,
    stdout: `Downloading ${NAME} ...\nInstalled longhaul 1.2.3 in ${bin}.\n`,
  });
});

it('says that another longhaul comes first on the PATH, and does not install into a folder of that name', async () => {
  const other = join(bin, '../other');
  await mkdir(other);
  await writeFile(join(other, 'longhaul'), PROGRAM, { mode: 0o755 });
  const env = { PATH: `${other}:${process.env['PATH']}:${bin}` };
  expect((await install(['--base-url', url, '--to', bin], env)).stdout).toContain(
    `${other}/longhaul comes first on your PATH.`,
  );
  await rm(join(bin, 'longhaul'));
  await mkdir(join(bin, 'longhaul'));
  expect(await install(['--base-url', url, '--to', bin])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${bin}/longhaul is a folder.`),
  });
});

it('installs nothing if the file has another checksum, and leaves an earlier version in place', async () => {
  files[NAME] = '#!/bin/sh\necho evil\n';
  await install(['--base-url', url, '--to', bin]);
  expect(await installed()).toEqual([]);
  await writeFile(join(bin, 'longhaul'), 'old');
  const { code, stderr } = await install(['--base-url', url, '--to', bin]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/damaged or was changed.*Nothing was installed/)]);
  expect(await readFile(join(bin, 'longhaul'), 'utf8')).toBe('old');
});

it.each([
  ['no address', [], /--base-url URL/],
  ['an address without TLS', ['--base-url', 'http://files.example'], /must begin with https:/],
  ['an address that only looks like this machine', ['--base-url', 'http://127.0.0.1.example/'], /https:/],
  ['an address with another host after an @', ['--base-url', 'http://127.0.0.1:80@files.example'], /https:/],
  ['a flag without its value', ['--to'], /--to needs a value/],
  ['an unknown flag', ['--prefix', 'x'], /no argument --prefix/],
])('refuses %s', async (_, args, message) => {
  const { code, stderr } = await install(args, { HOME: root });
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
});

it('installs nothing without HOME or a folder, and reads a list whose lines end as on Windows', async () => {
  files['SHA256SUMS'] = files['SHA256SUMS']?.replaceAll('\n', '\r\n') ?? '';
  expect(await install(['--base-url', url])).toMatchObject({
    code: 1,
    stderr: 'install.sh: HOME is not set. Add --to FOLDER.\n',
  });
  const home = join(bin, 'a home');
  expect(await install(['--base-url', url], { HOME: home })).toMatchObject({ code: 0, stderr: '' });
  expect(await readdir(join(home, '.local/bin'))).toEqual(['longhaul']);
});

describe('with the programs of BusyBox alone, as on Alpine', () => {
  const busybox = ['/bin/busybox', '/usr/bin/busybox'].find((path) => existsSync(path));
  const TOOLS = 'awk cat chmod ls mkdir mktemp mv rm sha256sum uname wget'.split(' ');

  /** Returns the path of a folder with these programs, and with what `ldd` prints. */
  async function programs(tools: readonly string[], ldd: string): Promise<string> {
    const folder = await mkdtemp(join(root, 'programs-'));
    for (const tool of tools) await symlink(busybox ?? '', join(folder, tool));
    await writeFile(join(folder, 'ldd'), `#!${busybox} sh\necho '${ldd}'\nexit 1\n`);
    await chmod(join(folder, 'ldd'), 0o755);
    return folder;
  }
  const run = async (path: string, shell = [busybox ?? '', 'sh']) =>
    install(['--base-url', url, '--to', bin], { PATH: path }, root, shell);

  it.skipIf(busybox === undefined)(
    'downloads the file for musl with wget, and for glibc otherwise',
    async () => {
      const musl = `${NAME.replace('-musl', '')}-musl`;
      files = {
        [musl]: PROGRAM.replace('1.2.3', 'musl'),
        SHA256SUMS: `${sumOf(PROGRAM.replace('1.2.3', 'musl'))}  ${musl}\n`,
      };
      const ended = await run(await programs(TOOLS, 'musl libc (x86_64)'));
      expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Installed longhaul musl in') });
      const other = await run(await programs(TOOLS, 'ldd (Debian GLIBC 2.36) 2.36'));
      expect(other.stderr).toContain(`SHA256SUMS does not list ${NAME.replace('-musl', '')}.`);
    },
  );

  it.skipIf(busybox === undefined)('names the program that is missing', async () => {
    // The shell of BusyBox has all of them.
    const without = async (tool: string) =>
      (
        await run(
          await programs(
            TOOLS.filter((each) => each !== tool),
            'musl',
          ),
          ['/bin/sh'],
        )
      ).stderr;
    expect(await without('wget')).toContain('It needs curl or wget.');
    expect(await without('sha256sum')).toContain('It needs sha256sum or shasum');
  });
});

it('explains that the address has no list, no file for this machine, or not the listed file', async () => {
  const failure = async () => (await install(['--base-url', url, '--to', bin])).stderr;
  files = { SHA256SUMS: `${sumOf(PROGRAM)}  ${NAME}\n` };
  expect(await failure()).toContain(`${NAME} cannot be downloaded.`);
  files = { SHA256SUMS: `${sumOf(PROGRAM)}  ${NAME}-other\n` };
  expect(await failure()).toContain(`does not list ${NAME}.`);
  files = {};
  expect(await failure()).toContain('SHA256SUMS cannot be downloaded. Is the address right?');
  expect(await installed()).toEqual([]);
});
