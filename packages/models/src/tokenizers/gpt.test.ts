import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, it } from 'vitest';
import { type GptCounter, loadGptCounter } from './gpt.ts';

const asPlainText = { disallowedSpecial: new Set<string>() };
let count: GptCounter;

beforeAll(async () => {
  count = await loadGptCounter();
});

describe('loadGptCounter', () => {
  it('returns the known counts of o200k_base', () => {
    expect(count('')).toBe(0);
    expect(count('Hello, world')).toBe(3);
    expect(count('tiktoken is great!')).toBe(6);
  });

  it('counts long prose and code exactly, although it is split into pieces', () => {
    const source = readFileSync(new URL('./vocabulary.ts', import.meta.url), 'utf8').repeat(5);
    expect(source.length).toBeGreaterThan(10_000);
    expect(count(source)).toBe(countTokens(source, asPlainText));
  });

  it('is exact for any text with short words', () => {
    const word = fc
      .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
      .filter((text) => !/\s/.test(text));
    const separator = fc.constantFrom(' ', '  ', '\n', ' \n', '\n    ', '\t');
    fc.assert(
      fc.property(fc.array(fc.tuple(word, separator), { minLength: 100, maxLength: 400 }), (pairs) => {
        const text = pairs.flat().join('');
        expect(count(text)).toBe(countTokens(text, asPlainText));
      }),
      { numRuns: 50 },
    );
  });

  it('is off by at most one or two tokens for each piece in a run without spaces', () => {
    const run = 'a'.repeat(8192);
    expect(Math.abs(count(run) - countTokens(run, asPlainText))).toBeLessThanOrEqual(8);
  });

  it('counts a megabyte of one character quickly', () => {
    expect(count('='.repeat(1_000_000))).toBeGreaterThan(10_000);
  });

  it('counts special tokens as plain text', () => {
    expect(count('<|endoftext|>')).toBeGreaterThan(1);
    expect(count('<|im_start|>system<|im_end|>')).toBeGreaterThan(5);
  });

  it('never throws, and keeps surrogate pairs whole at a cut', () => {
    expect(count('\ud800')).toBeGreaterThan(0);
    expect(count(`a${'😀'.repeat(2000)}`)).toBe(countTokens(`a${'😀'.repeat(2000)}`, asPlainText));
    const unit = fc.constantFrom('\ud83d', '\ude00', '<|endoftext|>', 'é', ' ', '\u0000', '汉');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 3000 }), (units) => {
        expect(count(units.join(''))).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 30 },
    );
  });
});
