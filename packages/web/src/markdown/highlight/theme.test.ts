import { createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { expect, it } from 'vitest';
import { languageOf, languageOfPath } from './language-names.ts';
import { kindOf, theme } from './theme.ts';

it('gives each token of a language its kind', async () => {
  const highlighter = await createHighlighterCore({
    themes: [theme],
    langs: [import('shiki/langs/typescript.mjs')],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const code = 'export function add(a: number): string { return `x`; } // sum';
  const [line = []] = highlighter.codeToTokens(code, {
    lang: 'typescript',
    theme: 'page',
    tokenizeTimeLimit: 0,
  }).tokens;
  const kinds = new Map(line.map(({ content, color }) => [content.trim(), kindOf(color)]));
  expect(Object.fromEntries(kinds)).toMatchObject({
    export: 'keyword',
    add: 'function',
    a: 'parameter',
    number: 'type',
    return: 'keyword',
    '`x`': 'string',
    '// sum': 'comment',
  });
});

it('knows languages by name, by short name and by file, and no other words', () => {
  expect(['TypeScript', 'py', 'c++', 'sh'].map(languageOf)).toEqual(['typescript', 'python', 'cpp', 'bash']);
  expect(['', 'text', 'constructor', '__proto__', '<img>'].map(languageOf)).toEqual(Array(5).fill(undefined));
  expect(['src/a.tsx', 'Dockerfile', '/x/Makefile', 'noend', 'a.b.rs'].map(languageOfPath)).toEqual([
    'tsx',
    'docker',
    'make',
    undefined,
    'rust',
  ]);
});
