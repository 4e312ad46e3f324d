import { describe, expect, it } from 'vitest';
import { isSymbol, outlineOf } from './outline.ts';

describe('outlineOf', () => {
  it('names paths first, then symbols, each once, in order', () => {
    const text =
      'const retryAfter = parseHeader(response);\nimport { retryAfter } from "./lib/http-client.ts";\nsnake_case_name';
    expect(outlineOf(text)).toBe('lib/http-client.ts, retryAfter, parseHeader, snake_case_name');
  });

  it('has nothing to say about prose', () => {
    expect(outlineOf('This sentence consists of ordinary English words without anything exact')).toBe('');
  });

  it('stays within its length and names whole names only', () => {
    const names = Array.from({ length: 100 }, (_, index) => `someFunction${index}`);
    const outline = outlineOf(names.join('\n'), 100);
    expect(outline.length).toBeLessThanOrEqual(100);
    expect(outline.split(', ').every((name) => names.includes(name))).toBe(true);
  });

  it('does not take quadratic time on a long run of hyphenated letters: its pattern had no bounds', () => {
    const unit = (length: number) => {
      const startedAt = performance.now();
      outlineOf('a-'.repeat(length));
      return performance.now() - startedAt;
    };
    const growth = [1, 2, 3, 4].map(() => unit(80_000) / Math.max(0.1, unit(8_000)));
    expect(Math.min(...growth)).toBeLessThan(40);
  });
});

describe('isSymbol', () => {
  it.each(['retryAfter', 'MAX_STEPS', 'utf8'])('knows %s as a symbol', (name) =>
    expect(isSymbol(name)).toBe(true),
  );
  it.each(['Sentence', 'ordinary'])('takes %s for a word', (name) => expect(isSymbol(name)).toBe(false));
});
