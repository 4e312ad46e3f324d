import { mkdir, mkdtemp, realpath, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isInside, realPathOf } from './host-paths.ts';

it.each([
  ['/work', '/work', true],
  ['/work/a/b', '/work', true],
  ['/workshop', '/work', false],
  ['/work', '/work/a', false],
  ['/..work', '/', true],
  ['/work/..a', '/work', true],
])('%s is inside of %s: %s', (path, folder, expected) => {
  expect(isInside(path, folder)).toBe(expected);
});

it('resolves the links of a path that does not exist yet', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-paths-')));
  await mkdir(join(root, 'target'));
  await symlink(join(root, 'target'), join(root, 'link'));
  expect(realPathOf(join(root, 'link', 'new', 'file'))).toBe(join(root, 'target', 'new', 'file'));
  await symlink('loop', join(root, 'loop'));
  expect(realPathOf(join(root, 'loop', 'file'))).toBe(join(root, 'loop', 'file'));
});
