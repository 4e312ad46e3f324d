import { expect, it } from 'vitest';
import { toAscii } from './ascii-chunks.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the expressions are texts.
it.each([
  `'Größe … 你好 😀'`,
  '`Größe ${1 + 1} …`',
  'String.raw`Größe ${"…"} \\d 😀`',
  'String.raw`\\\\…`',
  '((strings) => strings[0])`Größe …`',
  '/^[à-ü…]+$/.test("größe…")',
  '/^[😀…]$/u.test("😀")',
  '"\\\\…"',
  '(() => { /* … */ const größe = 1; return größe; })()',
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the expressions are texts.
])('gives %s the same value', (expression) => {
  const ascii = toAscii(expression);
  expect(ascii).toMatch(/^\p{ASCII}+$/u);
  expect(evaluate(ascii)).toEqual(evaluate(expression));
});

it('leaves ASCII unchanged', () => {
  expect(toAscii('const a = "\\u2026\\n";')).toBe('const a = "\\u2026\\n";');
});

it('refuses a backslash before such a character', () => {
  expect(() => toAscii('/\\…/', 'a.js')).toThrow('A backslash precedes … in a.js');
});

function evaluate(expression: string): unknown {
  return new Function(`return ${expression}`)();
}
