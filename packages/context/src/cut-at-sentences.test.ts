import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAtSentences } from './cut-at-sentences.ts';

const note = (chars: number) => `[… ${chars} characters cut here; read it with recall, handle m7 …]`;

describe('cutAtSentences', () => {
  it('returns a short text unchanged', () => {
    expect(cutAtSentences('Use tabs. Never commit to main.', 31, 'm7')).toBe(
      'Use tabs. Never commit to main.',
    );
  });

  it('keeps the first and the last sentences, and names the handle between them', () => {
    const middle = 'This sentence is in the middle. '.repeat(20).trim();
    const text = `Fix the parser. It fails on an empty file. ${middle} Do not change the lexer.`;
    expect(cutAtSentences(text, 160, 'm7')).toBe(
      `Fix the parser. It fails on an empty file. ${note(middle.length + 2)} Do not change the lexer.`,
    );
  });

  it('ends no sentence at an abbreviation, a version, a path or the number of a list item', () => {
    const rest = 'a further part of this first sentence '.repeat(3);
    const text = `1. Update e.g. v1.2.3 of src/app.ts, ${rest}. ${'More follows here. '.repeat(30)}`;
    expect(cutAtSentences(text, 100, 'm7')).toMatch(
      /^1\. Update e\.g\. v1\.2\.3 of src\/app\.ts, (?:a further .*)\. \[…/,
    );
  });

  it('treats the end of a line as the end of a sentence', () => {
    const text = `Here is the log\n${'one line of the log without a full stop\n'.repeat(40)}Please fix it`;
    expect(cutAtSentences(text, 120, 'm7')).toMatch(
      /^Here is the log \[… \d+ characters .*\] Please fix it$/,
    );
  });

  it('keeps a first sentence of up to 400 characters whole', () => {
    const first = `Rename ${'the module and '.repeat(20)}its tests.`;
    expect(cutAtSentences(`${first} ${'Then stop. '.repeat(60)}`, 120, 'm7')).toMatch(
      new RegExp(`^${first.replaceAll('.', '\\.')} \\[…`),
    );
  });

  it('cuts a longer sentence between two words', () => {
    const text = 'word '.repeat(300).trim();
    expect(cutAtSentences(text, 120, 'm7')).toMatch(/^word(?: word)* \[… \d+ characters cut here; .*m7 …\]$/);
  });

  it('finds the sentences of scripts without blanks', () => {
    const text = '请保持所有日期为协调世界时。'.repeat(30);
    expect(cutAtSentences(text, 120, 'm7')).toMatch(
      /^(?:请保持所有日期为协调世界时。)+ \[….*\](?: (?:请保持所有日期为协调世界时。)+)?$/,
    );
  });

  it('returns undefined when not one word fits', () => {
    expect(cutAtSentences('QUJDREVG'.repeat(200), 150, 'm7')).toBeUndefined();
    expect(cutAtSentences('', -1, 'm7')).toBeUndefined();
  });

  it('returns at most the text, and only pieces of it beside the note', () => {
    const anyText = fc
      .array(fc.constantFrom('One. ', 'two words ', 'Why? ', '\n', '文字。', '文字', '😀', 'x'.repeat(90)), {
        maxLength: 80,
      })
      .map((pieces) => pieces.join('').trim());
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 600 }), (text, maxChars) => {
        const cut = cutAtSentences(text, maxChars, 'm7') ?? '';
        expect(cut.length).toBeLessThanOrEqual(text.length);
        const [head = '', tail = ''] = cut.split(/\s*\[… \d+ characters cut here; .*? …\]\s*/);
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});
