import { spawnSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { lacks } from '@longhaul/testing/machine';
import { expect, test } from 'vitest';
import { openToolFixture } from '../test/tool-fixtures.ts';
import { createRipgrepSearch } from './ripgrep-search.ts';
import { linesInside, pathsInside } from './workspace-lines.ts';
import type { FoundLine, ShownLimit } from './workspace-search.ts';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function* given<T>(...found: T[]) {
  yield* found;
}

const ALL: ShownLimit = { unit: 'matches', most: 1_000 };

const line = (path: string, number: number, text: string): FoundLine => ({
  path,
  line: number,
  text,
  isMatch: true,
});

test('drops lines that the file in the workspace does not contain', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', 'one\ntwo\nthree\n');
  const { files } = fixture.context.sandbox;
  const [first, last] = [line('a', 1, 'one'), line('a', 3, 'three')];
  const found = [first, line('a', 2, 'secret'), last, line('a', 9, 'past the end')];
  expect(await all(linesInside(files, given(...found), ALL))).toEqual([first, last]);
});

test('drops the beginning of a long line if the file has another line there', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', `${'x'.repeat(5_000)}\n`);
  const { files } = fixture.context.sandbox;
  const preview = (text: string) => line('a', 1, `${text.repeat(400)} [... omitted end of long line]`);
  expect(await all(linesInside(files, given(preview('x')), ALL))).toHaveLength(1);
  expect(await all(linesInside(files, given(preview('y')), ALL))).toEqual([]);
});

test('reads again only the lines that are shown, and passes on no text of the others', async () => {
  await using fixture = await openToolFixture();
  for (const path of ['a', 'b', 'c', 'd']) await fixture.put(path, 'word\nafter\nword\n');
  const { files } = fixture.context.sandbox;
  const read: string[] = [];
  const watched = {
    ...files,
    read: (path: string, range?: { start: number; length: number }) => {
      read.push(path);
      return files.read(path, range);
    },
  };
  const after = (path: string) => ({ ...line(path, 2, 'after'), isMatch: false });
  const found = ['a', 'b', 'c', 'd'].flatMap((path) => [
    line(path, 1, 'word'),
    after(path),
    line(path, 3, 'word'),
  ]);
  const outside = line('b', 1, 'secret');
  const textsOf = async (shown: ShownLimit) => {
    const passed = await all(linesInside(watched, given(outside, ...found, outside), shown));
    return passed.map(({ path, text }) => `${path} ${text}`.trim());
  };

  const counted = ['c', 'c', 'c', 'd', 'd', 'd', 'b'];
  expect(await textsOf({ unit: 'files', most: 2 })).toEqual([
    ...['a word', 'a after', 'a word', 'b word', 'b after', 'b word'],
    ...counted,
  ]);
  expect(read).toEqual(['b', 'a', 'b']);
  read.length = 0;
  expect(await textsOf({ unit: 'matches', most: 1 })).toEqual([
    ...['a word', 'a after', 'a', 'b', 'b', 'b'],
    ...counted,
  ]);
  expect(read).toEqual(['b', 'a']);
});

test('passes on only the paths of files in the workspace, in order', async () => {
  await using fixture = await openToolFixture();
  await using secrets = await openToolFixture();
  await secrets.put('secret', '');
  await symlink(secrets.root, join(fixture.root, 'link'));
  const names = Array.from({ length: 100 }, (_, index) => `f${index}`);
  for (const name of names) await fixture.put(name, '');
  const listed = names.flatMap((name) => [name, 'link/secret', `gone-${name}`]);
  const { files } = fixture.context.sandbox;
  expect(await all(pathsInside(files, given(...listed)))).toEqual(names);
});

test('keeps what ripgrep finds in long lines, large files, wide characters and other encodings', async (context) => {
  if (spawnSync('rg', ['--version']).status !== 0)
    return lacks('ripgrep', 'it is not installed', context.skip);
  await using fixture = await openToolFixture();
  const { files } = fixture.context.sandbox;
  await fixture.put('long', `${'é'.repeat(9_000)} word\nword after\n`);
  await fixture.put('wide', Buffer.from('\ufefffirst\nword in UTF-16\n', 'utf16le'));
  await fixture.put('marked', '\ufeffword after a mark\r\nnone\r\nword\r\n');
  await fixture.put('large', `${'0123456789\n'.repeat(100_000)}word at the end`);
  await fixture.put('bytes', Buffer.from([0x77, 0x6f, 0x72, 0x64, 0xff, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x0a]));
  const found = await all(
    createRipgrepSearch('rg').findLines(files, {
      pattern: 'word',
      path: '',
      ignoreCase: false,
      contextLines: 0,
      shown: ALL,
      signal: new AbortController().signal,
    }),
  );
  expect(found.map(({ path, line }) => `${path}:${line}`)).toEqual([
    'bytes:1',
    'large:100001',
    'long:1',
    'long:2',
    'marked:1',
    'marked:3',
    'wide:2',
  ]);
});
