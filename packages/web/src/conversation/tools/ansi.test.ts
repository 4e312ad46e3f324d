import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readAnsi } from './ansi.ts';

const textOf = (output: string) =>
  readAnsi(output)
    .map(({ text }) => text)
    .join('');

it('turns colours and styles into classes', () => {
  expect(readAnsi('\u001b[31mred\u001b[0m plain \u001b[1;92mgreen\u001b[0m')).toEqual([
    { text: 'red', className: 'ansi-red-fg' },
    { text: ' plain ', className: '' },
    { text: 'green', className: 'ansi-bright-green-fg ansi-bold' },
  ]);
});

it.each([
  ['a title', '\u001b]0;title\u0007text', 'text'],
  ['a link', '\u001b]8;;javascript:alert(1)\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['moves of the cursor', 'a\u001b[2K\u001b[1Gb\u001b[?25lc', 'abc'],
  ['a set of characters', '\u001b(Ba', 'a'],
  ['a progress bar', '10%\r20%\r100%\ndone', '100%\ndone'],
  ['Windows line ends', 'a\r\nb\r\n', 'a\nb\n'],
  ['colours of 256 and of 16 million', '\u001b[38;5;200ma\u001b[48;2;1;2;3mb\u001b[0m', 'ab'],
  ['an unknown colour', '\u001b[999mx', 'x'],
  ['NUL and bell', 'a\u0000b\u0007c\u007f', 'abc'],
  ['HTML', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
])('reads %s', (_, output, text) => {
  expect(textOf(output)).toBe(text);
});

it('shows no control characters and only classes of its own, for any output', () => {
  const piece = fc.constantFrom(
    ...'\u001b[0123456789;mKHJ]\\\u0007\u009b\r\nab"<>'.split(''),
    '\u001b[',
    '38;5;',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      for (const { text, className } of readAnsi(pieces.join(''))) {
        expect(text).toMatch(/^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$/);
        expect(className).toMatch(/^(?:ansi-[a-z-]+(?: |$))*$/);
      }
    }),
  );
});

it('shows an output with very many changes of colour without colours', () => {
  expect(readAnsi('\u001b[31ma\u001b[32mb'.repeat(5_000))).toEqual([
    { text: 'ab'.repeat(5_000), className: '' },
  ]);
});
