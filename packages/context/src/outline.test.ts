import { describe, expect, it } from 'vitest';
import { outlineOf } from './outline.ts';

describe('outlineOf', () => {
  it('lists paths and identifiers, each once, in order of appearance', () => {
    const text =
      'const retryAfter = parseHeader(response);\nimport { retryAfter } from "./lib/http-client.ts";\nsnake_case_name';
    expect(outlineOf(text)).toBe('retryAfter, parseHeader, lib/http-client.ts, snake_case_name');
  });

  it('is empty for prose', () => {
    expect(outlineOf('This sentence consists of ordinary English words without anything exact')).toBe('');
  });

  it('stays within its length and contains whole names only', () => {
    const names = Array.from({ length: 100 }, (_, index) => `someFunction${index}`);
    const outline = outlineOf(names.join('\n'), 100);
    expect(outline.length).toBeLessThanOrEqual(100);
    expect(outline.split(', ').every((name) => names.includes(name))).toBe(true);
  });
});
