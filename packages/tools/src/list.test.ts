import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openToolFixture, textOf } from '../test/tool-fixtures.ts';
import { createListTool } from './list.ts';

const list = createListTool();

test('shows one level by default, and a tree with depth', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('src/deep/a.ts', 'x'.repeat(2000));
  await fixture.put('README.md', 'hello');
  await fixture.put('.git/HEAD', 'x');
  await fixture.put('node_modules/p/index.js', 'x');
  await symlink('README.md', join(fixture.root, 'link'));
  expect(await fixture.text(list, {})).toBe('.git/\nREADME.md 5\nlink (link)\nnode_modules/\nsrc/');
  expect(await fixture.text(list, { path: '.', depth: 3 })).toBe(
    '.git/\nREADME.md 5\nlink (link)\nnode_modules/\nsrc/\n  deep/\n    a.ts 2.0k\n[not opened: .git, node_modules]',
  );
  expect(await fixture.text(list, { path: 'node_modules', depth: 2 })).toBe('p/\n  index.js 1');
});

test('cuts deep levels at the limit, and reports this', async () => {
  await using fixture = await openToolFixture();
  for (let index = 0; index < 5; index += 1) await fixture.put(`a/${index}`, '');
  await fixture.put('z', '');
  const text = await fixture.text(createListTool({ maxEntries: 4 }), { depth: 5 });
  expect(text).toBe('a/\n  0 0\n  1 0\nz 0\n[only 4 entries are shown: list a subfolder, or use glob]');
});

test('reports empty folders, files, missing paths and paths outside', async () => {
  await using fixture = await openToolFixture();
  expect(await fixture.text(list, {})).toBe('[empty folder]');
  await fixture.put('it\'s "a"\nname', 'x');
  await fixture.put('plain.txt', 'x');
  expect(await fixture.text(list, {})).toBe('"it\'s \\"a\\"\\nname" 1\nplain.txt 1');
  expect(await fixture.text(list, { path: 'plain.txt' })).toBe('plain.txt is a file (1): use read.');
  expect(await fixture.text(list, { path: 'plain.tx' })).toMatch(/Did you mean plain\.txt\?/);
  const outside = await fixture.call(list, { path: '..' });
  expect(outside.isError).toBe(true);
  expect(textOf(outside)).toMatch(/leads out of the workspace/);
});
