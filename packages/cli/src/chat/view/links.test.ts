import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { renderMarkdown } from '../../render/markdown.ts';
import { createPaint } from '../../render/paint.ts';
import { escapeForTerminal } from '../../safe-terminal.ts';
import { createLinks } from './links.ts';

let folder: string;
const VSCODE = { TERM: 'xterm-256color', TERM_PROGRAM: 'vscode' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-links-'));
  await writeFile(join(folder, 'a.ts'), '');
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  vi.stubEnv('TMUX', undefined);
  vi.stubEnv('TERM', VSCODE.TERM);
  vi.stubEnv('TERM_PROGRAM', VSCODE.TERM_PROGRAM);
});
afterEach(() => vi.unstubAllEnvs());

/** The links of what reaches the terminal: the shown text and its target. */
function linksOf(markdown: string, env = VSCODE): (readonly [string, string])[] {
  const links = createLinks({ env, folder: () => folder });
  const text = escapeForTerminal(
    renderMarkdown(markdown, { columns: 200, paint: createPaint(false), links }),
  );
  return [
    ...text.matchAll(/\u001b\]8;id=[\da-f]{16};([^\u001b]+)\u001b\\([^\u001b]*)\u001b\]8;;\u001b\\/g),
  ].map(([, target = '', shown = '']) => [shown, target]);
}

it.each([
  ['See https://a.org/x?y=1#z now.', 'https://a.org/x?y=1#z'],
  ['See <https://a.org/x>.', 'https://a.org/x'],
  ['See [the manual](https://a.org/x).', 'https://a.org/x'],
  ['See https://a.org/x\u0007y.', 'https://a.org/xy'],
  ['See [https://good.org](https://evil.org/x).', 'https://evil.org/x'],
])('makes a link of the address alone in %j', (markdown, address) => {
  expect(linksOf(markdown)).toEqual([[address, address]]);
});

it.each([
  '[x](javascript:alert) [x](file:///etc/passwd) [x](vscode://x)',
  'https://good.org@evil.org/x',
  '[x](<https://a.org/a;b>)',
  'https://аpple.com',
])('makes no link in %j', (markdown) => {
  expect(linksOf(markdown)).toEqual([]);
});

it('makes links of files of the workspace, with their line', () => {
  const target = `file://${hostname()}${folder}/a.ts`;
  expect(linksOf('In `a.ts` and `a.ts:12:3`.')).toEqual([
    ['`a.ts`', target],
    ['`a.ts:12:3`', target],
  ]);
  expect(linksOf('`b.ts` `../a.ts` `/etc/passwd` `a.ts; x` `./../a.ts`')).toEqual([]);
});

it('makes no links in a terminal that may not support them', () => {
  vi.stubEnv('TERM_PROGRAM', undefined);
  expect(linksOf('https://a.org', { ...VSCODE, TERM_PROGRAM: '' })).toEqual([]);
  expect(linksOf('https://a.org', { TERM: 'tmux-256color', TERM_PROGRAM: 'tmux' })).toEqual([]);
});
