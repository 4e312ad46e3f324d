import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../load-config.ts';
import { storeTrust } from './store-trust.ts';
import { TrustStore } from './trust-store.ts';

let root: string;
let home: string;
let store: TrustStore;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-trust-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  home = join(root, 'home');
  store = new TrustStore({ env: {}, home });
  await put('home/work/.git/HEAD', '');
  await put('home/work/longhaul.yml', 'sandbox: { env: [MINE] }\n');
  for (const name of ['a', 'b']) await put(`home/work/${name}/.longhaul/commands/${name}.md`, name);
});

const put = async (path: string, text: string) => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
};
const read = async (folder: string) => {
  const { project } = await loadConfig({ cwd: join(home, 'work', folder), env: {}, home });
  if (project === undefined) throw new Error(`Nothing in ${folder} wants anything.`);
  return project;
};
const trusted = async (folder: string) =>
  (await read(folder)).wants.flatMap(({ key, isTrusted }) => (isTrusted ? [key] : []));

it('keeps the trust in other folders below the same longhaul.yml', async () => {
  await storeTrust(await read('a'), store);
  expect(await trusted('a')).toEqual(['sandbox.env', 'commands.a']);
  expect(await trusted('b')).toEqual(['sandbox.env']);
  await storeTrust(await read('b'), store);
  expect(await trusted('b')).toEqual(['sandbox.env', 'commands.b']);
  expect(await trusted('a')).toEqual(['sandbox.env', 'commands.a']);
});

it('keeps the trust in a folder if the longhaul.yml above it is trusted again', async () => {
  await storeTrust(await read('a'), store);
  await put('home/work/longhaul.yml', 'sandbox: { env: [OTHER] }\n');
  expect(await trusted('a')).toEqual(['commands.a']);
  await storeTrust(await read(''), store);
  expect(await trusted('a')).toEqual(['sandbox.env', 'commands.a']);
  await put('home/work/longhaul.yml', 'sandbox: { env: [MINE] }\n');
  expect(await trusted('a')).toEqual(['commands.a']);
});

it('trusts no earlier version of a command after a later one was trusted', async () => {
  await storeTrust(await read('a'), store);
  await put('home/work/a/.longhaul/commands/a.md', 'later');
  await storeTrust(await read('a'), store);
  await put('home/work/a/.longhaul/commands/a.md', 'a');
  expect(await trusted('a')).toEqual(['sandbox.env']);
});

it('withdraws the trust in a project with that of all folders in it', async () => {
  for (const folder of ['a', 'b']) await storeTrust(await read(folder), store);
  await put('home/other/.longhaul/commands/c.md', 'c');
  await storeTrust(await read('../other'), store);
  expect(await store.remove(join(home, 'work'))).toBe(true);
  for (const folder of ['a', 'b']) expect(await trusted(folder)).toEqual([]);
  expect(await trusted('../other')).toEqual(['commands.c']);
  expect(await store.remove(join(home, 'work'))).toBe(false);
});

it('withdraws trust although another entry cannot be read', async () => {
  await storeTrust(await read('a'), store);
  const folder = join(home, '.config/longhaul/trust');
  expect(await readdir(folder)).toHaveLength(2);
  await writeFile(join(folder, 'broken.files.json'), '{');
  expect(await store.remove(join(home, 'work'))).toBe(true);
  expect(await trusted('a')).toEqual([]);
});
