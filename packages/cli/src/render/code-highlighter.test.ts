import { expect, it } from 'vitest';
import { createHighlighter } from './code-highlighter.ts';

/** Colours as letters: `d` for dim, and so on. */
const mark = (name: string) => (text: string) => `${name}(${text})`;
const PAINT = { dim: mark('d'), good: mark('g'), bad: mark('b'), warn: mark('w'), note: mark('n') };

const shown = (language: string, ...lines: string[]) => {
  const highlighter = createHighlighter(language, PAINT);
  return lines.map((line) => highlighter.line(line));
};

it.each([
  ['ts', 'const a = "x\\"y" + 12; // end', 'n(const) a = g("x\\"y") + w(12); d(// end)'],
  ['js', 'a /* in */ new', 'a d(/* in */) n(new)'],
  ['python', 'def f(): return None # no', 'n(def) f(): n(return) n(None) d(# no)'],
  ['sh', 'echo "$#" a#b # comment', 'n(echo) g("$#") a#b d(# comment)'],
  ['rust', "fn f<'a>(x: &'a str) -> char { 'c' }", "n(fn) f<'a>(x: &'a n(str)) -> char { g('c') }"],
  ['c', '#include <a.h>', 'n(#include) <a.h>'],
  ['SQL', "SELECT 'it''s' -- all", "n(SELECT) g('it')g('s') d(-- all)"],
  ['html', '<a href="x">b</a>', '<n(a) href=g("x")>b</n(a)>'],
  ['json', '{"a": [1, true]}', '{g("a"): [w(1), n(true)]}'],
  ['diff', '+added', 'g(+added)'],
  ['unknown', 'const a', 'n(const a)'],
  ['ts', 'constant format 𝒳 名前', 'constant format 𝒳 名前'],
])('colours %s: %s', (language, line, expected) => {
  expect(shown(language, line)).toEqual([expected]);
});

it('continues comments and long texts in the next line, and no others', () => {
  expect(shown('ts', '/* a', 'b */ if', '`x', 'y` if', '"open', 'if')).toEqual([
    'd(/* a)',
    'd(b */) n(if)',
    'g(`x)',
    'g(y`) n(if)',
    'g("open)',
    'n(if)',
  ]);
  expect(shown('python', '"""doc', 'more', '""" def')).toEqual(['g("""doc)', 'g(more)', 'g(""") n(def)']);
});

it('changes no character of any text', () => {
  const plain = { dim: String, good: String, bad: String, warn: String, note: String };
  for (const language of ['ts', 'sh', 'rust', 'html', 'sql', 'py', 'c']) {
    const highlighter = createHighlighter(language, plain);
    for (const line of ['\\', '"\\', "'", '/*', '𝒳"𝒳', '$ # #', '<!-- <', '-->', '`', '\u0301"', '"""'])
      expect(highlighter.line(line)).toBe(line);
  }
});
