import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  DEFAULT_MAX_TOOL_OUTPUT_CHARS,
  formatToolOutput,
  truncateToolOutput,
} from './tool-output-truncator.ts';

test('does not change a text that fits', () => {
  const text = 'x'.repeat(DEFAULT_MAX_TOOL_OUTPUT_CHARS);
  expect(truncateToolOutput(text)).toEqual({
    text,
    truncated: false,
    charsBefore: 120_000,
    charsAfter: 120_000,
    linesBefore: 1,
  });
});

test('ends a truncated text with the marker and the recall call', () => {
  const cut = truncateToolOutput('x'.repeat(1_234_567), { maxChars: 10, handle: 'm12.3' });
  expect(cut.text).toBe(
    `${'x'.repeat(10)}\n[Output truncated - exceeded maximum length]\nFull output: recall({"handle":"m12.3"}) (1,234,567 chars)`,
  );
  expect(cut).toMatchObject({ truncated: true, limit: 'chars', charsBefore: 1_234_567, charsAfter: 10 });
});

test('notes that the full output was not kept if there is no handle', () => {
  const { text } = truncateToolOutput('abcdef', { maxChars: 3 });
  expect(text).toBe(
    'abc\n[Output truncated - exceeded maximum length]\nThe full output (6 chars) was not kept.',
  );
});

test('keeps head and tail, with the number of missing characters between them', () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n');
  const cut = truncateToolOutput(lines, { maxChars: 200, keep: 'head-tail', handle: 'm1.0' });
  expect(cut.text).toMatch(/^line 0\n/);
  expect(cut.text).toMatch(/\nline \d+\n\[… [\d,]+ chars left out …\]\nline \d+\n/);
  expect(cut.text).toContain('line 999\n[Output truncated - exceeded maximum length]\nFull output: ');
  expect(cut.linesBefore).toBe(1000);
});

test('never splits a surrogate pair and never keeps more than maxChars', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('😀', 'a', '\n'), maxLength: 60 }),
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom<'head' | 'head-tail'>('head', 'head-tail'),
      (text, maxChars, keep) => {
        const cut = truncateToolOutput(text, { maxChars, keep, handle: 'm1.0' });
        expect(cut.text.isWellFormed()).toBe(true);
        expect(cut.charsAfter).toBeLessThanOrEqual(Math.min(maxChars, text.length));
        expect(cut.truncated).toBe(text.length > maxChars);
      },
    ),
  );
});

test('formatToolOutput adds nothing to a complete output', () => {
  expect(formatToolOutput('whole\n')).toBe('whole\n');
  expect(formatToolOutput('', { handle: 'm1.2', chars: 5 })).toMatch(/^\[Output truncated/);
});
