import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KeptTexts } from './kept-texts.ts';

let root: string;
let folder: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'longhaul-kept-'));
  folder = join(root, 'state', 'chat');
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function only(ending: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ending));
  expect(names).toHaveLength(1);
  return join(folder, names[0] ?? '');
}

it('returns the sent messages of the same folder in order, and none of another folder', () => {
  const kept = new KeptTexts(folder, '/a');
  for (const text of ['one', 'two\nlines', '日本 \u001b[31m"']) kept.remember(text);
  expect(new KeptTexts(folder, '/a').history()).toEqual(['one', 'two\nlines', '日本 \u001b[31m"']);
  expect(new KeptTexts(folder, '/b').history()).toEqual([]);
});

it('keeps files and folders readable by this user only', async () => {
  const kept = new KeptTexts(folder, '/a');
  kept.remember('sent');
  kept.drafts.open('s');
  kept.drafts.keep('draft');
  const mode = async (path: string) => (await stat(path)).mode & 0o777;
  expect(await mode(folder)).toBe(0o700);
  expect(await mode(await only('.jsonl'))).toBe(0o600);
  expect(await mode(await only('.draft'))).toBe(0o600);
});

it('skips lines that are not messages: a half line, one of another version, an empty one', async () => {
  const kept = new KeptTexts(folder, '/a');
  kept.remember('whole');
  await appendFile(await only('.jsonl'), '\n{"text":1}\n42\n"half of a mess');
  expect(new KeptTexts(folder, '/a').history()).toEqual(['whole']);
});

it('separates a message from the half line that a crash left before it', async () => {
  new KeptTexts(folder, '/a').remember('first');
  await appendFile(await only('.jsonl'), '"half of a mess');
  new KeptTexts(folder, '/a').remember('second');
  expect(new KeptTexts(folder, '/a').history()).toEqual(['first', 'second']);
});

it('keeps the newest messages of a long history, in memory and in its file', async () => {
  new KeptTexts(folder, '/a').remember('first');
  const many = Array.from({ length: 1_200 }, (_, index) => `"text ${index}"\n`).join('');
  await writeFile(await only('.jsonl'), many);
  const history = new KeptTexts(folder, '/a').history();
  expect(history).toHaveLength(500);
  expect(history.at(-1)).toBe('text 1199');
  expect((await readFile(await only('.jsonl'), 'utf8')).split('\n')).toHaveLength(501);
  expect((await stat(await only('.jsonl'))).mode & 0o777).toBe(0o600);
});

it('does not remember a message as long as a file', () => {
  const kept = new KeptTexts(folder, '/a');
  kept.remember('x'.repeat(100_000));
  expect(kept.history()).toEqual([]);
});

it('throws when it cannot write, and writes later', async () => {
  const kept = new KeptTexts(folder, '/a');
  await writeFile(join(root, 'state'), 'a file in place of the folder');
  expect(() => kept.remember('text')).toThrow(/ENOTDIR/);
  await rm(join(root, 'state'));
  kept.remember('text');
  expect(kept.history()).toEqual(['text']);
});
