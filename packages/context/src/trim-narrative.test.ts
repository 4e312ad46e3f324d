import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countByClasses } from './tokens.ts';
import { trimNarrative } from './trim-narrative.ts';

const trim = (text: string, maxTokens: number) => trimNarrative(text, maxTokens, countByClasses);
const NAMES = ['zorquil', 'veldane', 'mikfost', 'tamwick', 'bruplum', 'kelgram', 'zorhest', 'velnoll'];
const LIST = NAMES.map((name) => `The next code word in the folder is ${name}, as its text says.`).join(' ');

describe('trimNarrative', () => {
  it('keeps the first sentences, and what the others name', () => {
    const trimmed = trim(LIST, 75);
    expect(trimmed).toMatch(/^The next code word in the folder is zorquil, as its text says\./);
    expect(trimmed).toMatch(/\nAlso named: .*kelgram, zorhest, velnoll\.$/);
    for (const name of NAMES) expect(trimmed).toContain(name);
  });

  it('keeps names also when it trims its own result', () => {
    const again = trim(trim(LIST, 75), 60);
    expect(countByClasses(again)).toBeLessThanOrEqual(60);
    expect(again).toContain('velnoll');
    expect(again.match(/Also named/g)).toHaveLength(1);
  });

  it('adds no list if the other sentences name nothing', () => {
    const text = `I changed the parser. ${'Nothing else happened in this step. '.repeat(40)}`;
    expect(trim(text, 40)).not.toContain('Also named');
  });

  it('never has more tokens than allowed, and begins as the text does', () => {
    const piece = fc.constantFrom(
      'a.ts',
      'run',
      'Then ',
      'x1234567',
      '. ',
      '\n',
      'é漢字',
      'word ',
      '/b/c.js ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 400 }), fc.integer({ min: 1, max: 120 }), (pieces, most) => {
        const text = pieces.join('');
        const trimmed = trim(text, most);
        expect(countByClasses(trimmed)).toBeLessThanOrEqual(most);
        expect(text.startsWith(trimmed.split('\nAlso named: ')[0] ?? '')).toBe(true);
      }),
    );
  });
});
