import { describe, expect, it } from 'vitest';
import { foundWords } from './found-words.ts';

const marked = (text: string, query: string) =>
  foundWords(text, query).map(({ text: piece, isFound }) => (isFound ? `[${piece}]` : piece));

describe('foundWords', () => {
  it('finds all words in any case', () => {
    expect(marked('The Parser reads; the parser writes', 'parser READS')).toEqual([
      'The ',
      '[Parser]',
      ' ',
      '[reads]',
      '; the ',
      '[parser]',
      ' writes',
    ]);
  });

  it('takes signs of patterns literally', () => {
    expect(marked('a.b (c) [d] $e \\f', '. (c) [d] $e \\f').join('')).toBe('a[.]b [(c)] [[d]] [$e] [\\f]');
  });

  it('prefers the longer of two words', () => {
    expect(marked('compaction', 'comp compaction')).toEqual(['[compaction]']);
  });

  it('leaves a text without the words whole', () => {
    expect(marked('<b>text</b>', 'none')).toEqual(['<b>text</b>']);
    expect(marked('text', '  ')).toEqual(['text']);
  });
});
