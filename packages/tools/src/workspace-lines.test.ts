import { spawnSync } from 'node:child_process';
import { lacks } from '@longhaul/testing/machine';
import { expect, test } from 'vitest';
import { openToolFixture } from '../test/tool-fixtures.ts';
import { createRipgrepSearch } from './ripgrep-search.ts';
import { linesInside } from './workspace-lines.ts';
import type { FoundLine } from './workspace-search.ts';

async function all(lines: AsyncIterable<FoundLine>): Promise<FoundLine[]> {
  const found: FoundLine[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

async function* given(...lines: FoundLine[]) {
  yield* lines;
}

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
  expect(await all(linesInside(files, given(...found)))).toEqual([first, last]);
});

test('drops the beginning of a long line if the file has another line there', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a', `${'x'.repeat(5_000)}\n`);
  const { files } = fixture.context.sandbox;
  const preview = (text: string) => line('a', 1, `${text.repeat(400)} [... omitted end of long line]`);
  expect(await all(linesInside(files, given(preview('x'))))).toHaveLength(1);
  expect(await all(linesInside(files, given(preview('y'))))).toEqual([]);
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
