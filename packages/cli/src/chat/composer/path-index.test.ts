import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PathIndex } from './path-index.ts';

const { signal } = new AbortController();
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'longhaul-index-'));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function make(...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), '');
  }
}

it('lists the top of the folder for no words, folders with a slash', async () => {
  await make('b.txt', 'a/deep/c.ts');
  expect(await new PathIndex(root).find('', signal)).toEqual(['a/', 'b.txt']);
});

it('finds paths by parts of their names, the best first', async () => {
  await make('src/composer/completions.ts', 'src/complete.ts', 'docs/other.md');
  const found = await new PathIndex(root).find('complet', signal);
  expect(found.toSorted()).toEqual(['src/complete.ts', 'src/composer/completions.ts']);
});

it('never follows links, also not to folders', async () => {
  await make('inside/own.txt');
  const outside = await mkdtemp(join(tmpdir(), 'longhaul-outside-'));
  await writeFile(join(outside, 'secret.txt'), '');
  await symlink(outside, join(root, 'link'));
  await symlink(join(outside, 'secret.txt'), join(root, 'secret-link.txt'));
  await symlink(root, join(root, 'inside', 'loop'));
  const index = new PathIndex(root);
  expect(await index.find('', signal)).toEqual(['inside/']);
  expect(await index.find('secret', signal)).toEqual([]);
  expect(await index.find('own', signal)).toEqual(['inside/own.txt']);
  await rm(outside, { recursive: true });
});

it('lists the folders of packages and of git, but not their contents', async () => {
  await make('.git/config', 'node_modules/left-pad/index.js', 'src/config.ts');
  const index = new PathIndex(root);
  expect(await index.find('', signal)).toEqual(['.git/', 'node_modules/', 'src/']);
  expect(await index.find('config', signal)).toEqual(['src/config.ts']);
});

it('leaves out names that a mention cannot contain', async () => {
  await make('two words.txt', 'line\nbreak.txt', 'escape\u001b[2J.txt', 'quo"te.txt');
  expect(await new PathIndex(root).find('', signal)).toEqual(['two words.txt']);
});

it('lists at most its limit of paths, top-level paths first', async () => {
  await make(...Array.from({ length: 60 }, (_, index) => `many/f${index}`), 'top.txt');
  const index = new PathIndex(root, 50);
  expect(await index.find('', signal)).toEqual(['many/', 'top.txt']);
  expect(await index.find('f', signal)).toHaveLength(48);
});

it('skips a folder that it cannot read, and an absent one', async () => {
  await make('open/a.txt', 'closed/b.txt');
  await chmod(join(root, 'closed'), 0o000);
  expect(await new PathIndex(root).find('a.txt', signal)).toEqual(['open/a.txt']);
  await chmod(join(root, 'closed'), 0o700);
  expect(await new PathIndex(join(root, 'absent')).find('', signal)).toEqual([]);
});

it('returns nothing to an abandoned search', async () => {
  await make('a.txt');
  expect(await new PathIndex(root).find('a', AbortSignal.abort())).toEqual([]);
});
