import { LonghaulError } from '@longhaul/protocol';
import { expect, test } from 'vitest';
import { openToolFixture, refusalOf, textOf } from '../test/tool-fixtures.ts';
import { createWriteTool } from './write.ts';

const write = createWriteTool();

test('creates folders, and reports what it wrote', async () => {
  await using fixture = await openToolFixture();
  const created = await fixture.call(write, { path: 'src/deep/a.ts', content: 'one\ntwö\n' });
  expect(textOf(created)).toBe('Created src/deep/a.ts (2 lines, 9 bytes).');
  expect(created.metadata).toMatchObject({ path: 'src/deep/a.ts', created: true });
  expect(await fixture.get('src/deep/a.ts')).toBe('one\ntwö\n');
  expect(await fixture.text(write, { path: './src/deep/a.ts', content: '' })).toBe(
    'Overwrote src/deep/a.ts (0 lines, 0 bytes).',
  );
});

test('records the change of an overwritten text file, but not of a new file or of binary data', async () => {
  await using fixture = await openToolFixture();
  const metadataOf = async (content: string) => (await fixture.call(write, { path: 'a', content })).metadata;
  expect(await metadataOf('one\ntwo\n')).not.toHaveProperty('patch');
  expect(await metadataOf('one\n2\n')).toMatchObject({
    patch: '@@ -1,2 +1,2 @@\n one\n-two\n+2',
    added: 1,
    removed: 1,
  });
  await fixture.put('a', 'x\0');
  expect(await metadataOf('y')).toEqual({ path: 'a', created: false, bytes: 1 });
});

test('writes names with quotes and line breaks, and refuses folders and paths outside', async () => {
  await using fixture = await openToolFixture();
  const path = 'it\'s "a"\nname';
  expect(await fixture.text(write, { path, content: 'x' })).toBe(
    `Created ${JSON.stringify(path)} (1 line, 1 byte).`,
  );
  expect(await fixture.get(path)).toBe('x');
  await fixture.put('dir/x', 'x');
  expect(await fixture.text(write, { path: 'dir', content: 'x' })).toBe(
    'dir is a folder: give the path of a file.',
  );
  const outside = await fixture.call(write, { path: '../outside', content: 'x' });
  expect(outside).toMatchObject({ isError: true, metadata: { code: 'path_outside_workspace' } });
});

test('returns a result if the disk is full', async () => {
  await using fixture = await openToolFixture();
  fixture.context.sandbox.files.write = () =>
    Promise.reject(new LonghaulError('store_full', 'No space is left.'));
  const result = await fixture.call(write, { path: 'a', content: 'x' });
  expect(result).toMatchObject({ isError: true, content: [{ text: 'No space is left.' }] });
});

test('writes nothing after an abort', async () => {
  await using fixture = await openToolFixture();
  fixture.abort.abort();
  await expect(fixture.call(write, { path: 'a', content: 'x' })).rejects.toThrow();
  await expect(fixture.get('a')).rejects.toThrow();
});

test('requires content', () => {
  expect(refusalOf(write, { path: 'a' })).toBe('`content` must be a string, it is missing.');
});

test.each([
  [
    '\ufeffone\r\ntwo\r\n',
    '1\n2\n',
    '\ufeff1\r\n2\r\n',
    ' Its byte order mark and CRLF line ends were kept.',
  ],
  ['one\r\ntwo\r\n', '1\n2', '1\r\n2', ' Its CRLF line ends were kept.'],
  ['one\r\ntwo\r\n', '1\r2\n', '1\r2\n', ''],
  ['one\r\ntwo\n', '1\n', '1\n', ''],
  ['\ufeff', 'x', '\ufeffx', ' Its byte order mark was kept.'],
])('keeps the byte order mark and the line ends of a file: %j', async (before, content, after, remark) => {
  await using fixture = await openToolFixture();
  await fixture.put('a', before);
  expect(await fixture.text(write, { path: 'a', content })).toContain(`bytes).${remark}`);
  expect(await fixture.get('a')).toBe(after);
});
