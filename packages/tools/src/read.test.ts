import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonValue } from '@longhaul/protocol';
import { expect, test } from 'vitest';
import { openToolFixture, refusalOf, textOf } from '../test/tool-fixtures.ts';
import { createReadTool } from './read.ts';

const read = createReadTool();
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\tline ${from + index}`).join('\n');
const lines = (count: number) =>
  `${Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')}\n`;

test('returns a whole file with line numbers and no note', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a.txt', '\ufeffone\r\n\r\nthree');
  const result = await fixture.call(read, { path: 'a.txt' });
  expect(textOf(result)).toBe('1\tone\n2\t\n3\tthree');
  expect(result.title).toBe('a.txt (3 lines)');
  expect(await fixture.text(read, { path: join(fixture.root, 'a.txt') })).toContain('three');
});

test('returns pages, and says where the next one starts', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a.txt', lines(5321));
  expect(await fixture.text(read, { path: 'a.txt' })).toBe(
    `${numbered(1, 2000)}\n[Lines 1-2000 of 5321. Next: offset 2001]`,
  );
  expect(await fixture.text(read, { path: 'a.txt', offset: '5320', limit: 50 })).toBe(
    `${numbered(5320, 5321)}\n[Lines 5320-5321 of 5321.]`,
  );
  expect(await fixture.text(read, { path: 'a.txt', offset: 0, limit: 1 })).toContain(
    '[Lines 1-1 of 5321. Next: offset 2]',
  );
  const past = await fixture.call(read, { path: 'a.txt', offset: 6000 });
  expect(past.isError).toBe(true);
  expect(textOf(past)).toBe('offset 6000 is past the end: a.txt has 5,321 lines.');
});

test('cuts long lines and a page of many long lines', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('long.txt', `${'😀'.repeat(5000)}\nshort`);
  const text = await fixture.text(createReadTool({ maxLineLength: 101 }), { path: 'long.txt' });
  expect(text).toMatch(/^1\t(😀){50} \[… line of 20,000 bytes\]\n2\tshort\n\[lines over 101 chars are cut/u);
  await fixture.put('wide.txt', `${'y'.repeat(1990)}\n`.repeat(100));
  const wide = await fixture.text(read, { path: 'wide.txt' });
  expect(wide.length).toBeLessThan(120_000);
  expect(wide).toMatch(/\[Lines 1-(\d+) of 100\. Next: offset \d+\]$/);
});

test('reads a huge file in pieces, without counting its lines', async () => {
  await using fixture = await openToolFixture();
  const ranges: number[] = [];
  const size = 1024 ** 3;
  const line = Buffer.from(`${'z'.repeat(63)}\n`);
  fixture.context.sandbox.files.stat = async () => ({ kind: 'file', size, modifiedAt: 0 });
  fixture.context.sandbox.files.resolve = async (path) => path;
  fixture.context.sandbox.files.read = async (_path, range) => {
    ranges.push(range?.length ?? Number.POSITIVE_INFINITY);
    return Buffer.alloc(range?.length ?? 0, line);
  };
  const text = await fixture.text(read, { path: 'huge.log', offset: 100_000, limit: 2 });
  expect(text).toMatch(/\[Lines 100000-100001 of a 1\.0G file\. Next: offset 100002\]$/);
  expect(Math.max(...ranges)).toBeLessThanOrEqual(1024 * 1024);
  expect(ranges.length).toBeLessThan(12);
});

test('reports empty files, folders, binary files and bytes that are not UTF-8', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('empty', '');
  await fixture.put('dir/x', 'x');
  await fixture.put('data.bin', new Uint8Array(5000));
  await fixture.put('latin.txt', Buffer.from('grüße aus köln', 'latin1'));
  expect(await fixture.text(read, { path: 'empty' })).toBe('[empty file]');
  expect(await fixture.text(read, { path: 'dir' })).toBe('dir is a folder: use list.');
  expect(await fixture.text(read, { path: 'data.bin' })).toContain(
    'data.bin is a binary file of 5,000 bytes.',
  );
  expect(await fixture.text(read, { path: 'latin.txt' })).toContain('[not valid UTF-8');
});

test.each<[string, Buffer, string]>([
  ['one letter of Latin-1', Buffer.from('é\n', 'latin1'), '1\t\ufffd\n[not valid UTF-8'],
  [
    'a line of Latin-1',
    Buffer.from('été à Köln', 'latin1'),
    '1\t\ufffdt\ufffd \ufffd K\ufffdln\n[not valid UTF-8',
  ],
  ['Shift-JIS', Buffer.from('93fa967b0a61', 'hex'), '2\ta\n[not valid UTF-8'],
  [
    'UTF-16',
    Buffer.from('\ufeffGrüße\r\nzwei\r\n', 'utf16le'),
    '1\tGrüße\n2\tzwei\n[in UTF-16LE: change it with bash]',
  ],
  ['UTF-32', Buffer.from('fffe00006100000062000000', 'hex'), 'is a binary file of 12 bytes'],
  ['gzip', Buffer.from('1f8b0800000000000003', 'hex'), 'is a binary file of 10 bytes'],
  ['ELF', Buffer.from('7f454c4602010100000000000000000003003e0001', 'hex'), 'is a binary file of 21 bytes'],
])('reads a short text in a legacy encoding, but nothing binary: %s', async (_name, bytes, shown) => {
  await using fixture = await openToolFixture();
  await fixture.put('file', bytes);
  expect(await fixture.text(read, { path: 'file' })).toContain(shown);
});

test('pages through UTF-16', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('wide', Buffer.from(`\ufeff${'äöü\n'.repeat(10)}`, 'utf16le'));
  expect(await fixture.text(read, { path: 'wide', offset: 4, limit: 2 })).toBe(
    '4\täöü\n5\täöü\n[Lines 4-5 of 10. Next: offset 6]\n[in UTF-16LE: change it with bash]',
  );
});

test('returns images and PDFs as media, recognised by their bytes and not their names', async () => {
  await using fixture = await openToolFixture();
  const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex');
  await fixture.put('picture.txt', png);
  expect((await fixture.call(read, { path: 'picture.txt' })).content).toEqual([
    { type: 'text', text: 'picture.txt: image/png, 12 bytes' },
    { type: 'image', data: png.toString('base64'), mediaType: 'image/png' },
  ]);
  await fixture.put('docs/paper.pdf', '%PDF-1.7 …');
  expect((await fixture.call(read, { path: 'docs/paper.pdf' })).content[1]).toMatchObject({
    type: 'file',
    mediaType: 'application/pdf',
    filename: 'paper.pdf',
  });
  await fixture.put('big.gif', Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(5 * 1024 * 1024)]));
  expect(await fixture.text(read, { path: 'big.gif' })).toMatch(
    /too large to show \(at most 5,242,880 bytes\)/,
  );
});

test('suggests similar names for a missing file', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('src/turn-executor.ts', '');
  await fixture.put('src/queue.ts', '');
  const missing = await fixture.call(read, { path: 'src/turnExecutor.ts' });
  expect(missing.isError).toBe(true);
  expect(textOf(missing)).toBe('src/turnExecutor.ts does not exist. Did you mean src/turn-executor.ts?');
  expect(await fixture.text(read, { path: 'lib/x.ts' })).toBe(
    'lib/x.ts does not exist. Nor does its folder lib. Find the path with glob or list.',
  );
});

test('returns a result for a path outside the workspace', async () => {
  await using fixture = await openToolFixture();
  await symlink('/etc/hostname', join(fixture.root, 'link'));
  for (const path of ['../x', '/etc/passwd', 'link']) {
    const result = await fixture.call(read, { path });
    expect(result).toMatchObject({ isError: true, metadata: { code: 'path_outside_workspace' } });
  }
});

test('reads a file whose name has quotes and line breaks', async () => {
  await using fixture = await openToolFixture();
  const path = 'a "quoted"\n\'name\' ünï.txt';
  await fixture.put(path, 'found');
  const result = await fixture.call(read, { path });
  expect(textOf(result)).toBe('1\tfound');
  expect(result.title).toBe(`${JSON.stringify(path)} (1 line)`);
});

test('stops when aborted', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a.txt', 'x');
  fixture.abort.abort();
  await expect(fixture.call(read, { path: 'a.txt' })).rejects.toThrow();
});

test.each<Record<string, JsonValue>>([
  { start_line: 2, end_line: 3 },
  { offset: 2, limit: 2 },
  { startLine: '2', endLine: '3' },
  { view_range: [2, 3] },
  { line_start: 2, line_end: 3 },
  { path: ['a.txt'], start: 2, end: 3 },
  { offset: 2, limit: 9, end_line: 3 },
])('reads the lines that %j means', async (span) => {
  await using fixture = await openToolFixture();
  await fixture.put('a.txt', 'one\ntwo\nthree\nfour\n');
  expect(await fixture.text(read, { path: 'a.txt', ...span })).toBe(
    '2\ttwo\n3\tthree\n[Lines 2-3 of 4. Next: offset 4]',
  );
  expect(await fixture.text(read, { path: 'a.txt', view_range: [3, -1] })).toContain('[Lines 3-4 of 4.]');
  expect(refusalOf(read, { path: 'a.txt', start_line: 3, end_line: 2 })).toContain('is before the first');
});

test('names parameters that it does not know at the end of the result', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a.txt', 'x');
  expect(await fixture.text(read, { path: 'a.txt', colour: 'red', encoding: false })).toBe(
    '1\tx\n[Ignored: `colour`. Known: `path`, `offset`, `limit`.]',
  );
});

test('keeps a page within 50,000 characters', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a.txt', `${'x'.repeat(99)}\n`.repeat(2000));
  const text = await fixture.text(read, { path: 'a.txt' });
  expect(text.length).toBeLessThanOrEqual(50_000);
  expect(text.length).toBeGreaterThan(45_000);
});

test('accepts harmless mistakes of models, and refuses others with the reason', async () => {
  await using fixture = await openToolFixture();
  await fixture.put('a.txt', 'x');
  expect(await fixture.text(read, { file_path: 'a.txt', offset: null, limit: '5' })).toBe('1\tx');
  expect(refusalOf(read, { path: 7 })).toBe('`path` must be a string, got number.');
  expect(refusalOf(read, { fyle: 'a.txt' })).toBe(
    '`path` must be a string, it is missing. Ignored: `fyle`. Known: `path`, `offset`, `limit`.',
  );
  expect(refusalOf(read, { path: 'a', file_path: 'b' })).toBe(
    '`path` and `file_path` mean the same, but differ: give one.',
  );
  expect(await fixture.text(read, { path: 'a.txt', limit: 0 })).toBe('1\tx');
  expect(refusalOf(read, { path: ['a', 'b'] })).toContain('make a call for each file');
  expect(refusalOf(read, 'a.txt')).toBe('The arguments must be an object, got string.');
});
