import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CustomCommand, readCustomCommands } from './custom-commands.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'longhaul-own-'));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function read(files: Readonly<Record<string, string>>, folders = ['']): Promise<CustomCommand[]> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return await readCustomCommands(folders.map((folder) => join(root, folder)));
}

it('sends the text of the file with the words in place of every $ARGUMENTS', async () => {
  const [command] = await read({ 'fix.md': 'Fix $ARGUMENTS. Then test $ARGUMENTS.\n' });
  expect(command).toMatchObject({
    name: 'fix',
    hint: 'WORDS',
    description: 'Fix $ARGUMENTS. Then test $ARGUMENTS.',
  });
  expect(command?.expand('issue $& $1')).toBe('Fix issue $& $1. Then test issue $& $1.');
});

it('takes description and hint from the lines at the beginning, which are not sent', async () => {
  const text =
    '---\r\ndescription: "Reviews a branch"\r\nargument-hint: BRANCH\r\nmodel: x\r\n---\r\nReview $ARGUMENTS';
  const [command] = await read({ 'review.md': text });
  expect(command).toMatchObject({ hint: 'BRANCH', description: 'Reviews a branch' });
  expect(command?.expand('main')).toBe('Review main');
});

it('refuses words for a command that has no place for them', async () => {
  const [command] = await read({ 'plain.md': 'Say hello.' });
  expect(command?.expand('')).toBe('Say hello.');
  expect(() => command?.expand('words')).toThrow('/plain takes no words');
});

it('takes the first folder’s command of two with one name', async () => {
  const files = { 'a/same.md': 'from a', 'b/same.md': 'from b', 'b/other.md': 'other' };
  const commands = await read(files, ['a', 'b', 'absent']);
  expect(commands.map(({ name, description }) => [name, description])).toEqual([
    ['same', 'from a'],
    ['other', 'other'],
  ]);
});

it('reads only Markdown files with names that can be typed, and follows no links', async () => {
  await writeFile(join(root, '..', 'longhaul-linked.md'), 'secret');
  await symlink(join(root, '..', 'longhaul-linked.md'), join(root, 'linked.md'));
  await mkdir(join(root, 'folder.md'));
  const files = { 'a b.md': 'x', '1st.md': 'x', '.md': 'x', 'note.txt': 'x', 'Fix-it_2.md': 'x' };
  expect((await read(files)).map(({ name }) => name)).toEqual(['Fix-it_2']);
  await rm(join(root, '..', 'longhaul-linked.md'));
});

it('says at its use why a file is no command', async () => {
  const [command] = await read({ 'huge.md': 'x'.repeat(70_000) });
  expect(command?.description).toContain('cannot be used');
  expect(() => command?.expand('')).toThrow(/\/huge cannot be used: .*huge\.md: The file has 70000 bytes/);
});

it('finds no commands where the folder is a file', async () => {
  await writeFile(join(root, 'file'), '');
  expect(await readCustomCommands([join(root, 'file')])).toEqual([]);
});
