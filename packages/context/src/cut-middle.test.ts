import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutMiddle, headOf } from './cut-middle.ts';

describe('cutMiddle', () => {
  it('does not change a text that fits', () => {
    expect(cutMiddle('short', 5)).toEqual({ text: 'short', wasCut: false, removedChars: 0 });
  });

  it('keeps head and tail, and states the missing characters and the handle', () => {
    const { text, removedChars } = cutMiddle(`START${'x'.repeat(5_000)}END`, 400, 'm12.3');
    expect(text).toMatch(
      /^STARTx+\n\[… \d+ characters cut here; read it with recall, handle m12\.3 …\]\nx+END$/,
    );
    expect(text).toContain(String(removedChars));
  });

  it('states the exact number of missing characters', () => {
    const source = 'abcdefghij'.repeat(300);
    const { text, removedChars } = cutMiddle(source, 500);
    expect(text.replace(/\n\[…[^\]]*…\]\n/, '').length).toBe(source.length - removedChars);
  });

  it('is never longer than the text, and never longer than maxChars if the note fits', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 600 }),
        fc.integer({ min: -5, max: 700 }),
        (text, maxChars) => {
          const cut = cutMiddle(text, maxChars, 'm1.2');
          expect(cut.text.length).toBeLessThanOrEqual(text.length);
          expect(cut.text.length).toBeLessThanOrEqual(Math.max(maxChars, 90));
        },
      ),
    );
  });

  it('never splits a surrogate pair', () => {
    for (let maxChars = 80; maxChars < 140; maxChars += 1) {
      const { text } = cutMiddle('🎉'.repeat(300), maxChars);
      expect(text.isWellFormed()).toBe(true);
      expect(text.length).toBeLessThanOrEqual(maxChars);
    }
  });
});

describe('headOf', () => {
  it('removes half a surrogate pair', () => {
    expect(headOf('a🎉b', 2)).toBe('a');
    expect(headOf('a🎉b', 3)).toBe('a🎉');
    expect(headOf('ab', 9)).toBe('ab');
  });
});
