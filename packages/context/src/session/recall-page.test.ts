import { describe, expect, test } from 'vitest';
import { RECALL_FOLD_CHARS, RECALL_MAX_CHARS, recallPage } from './recall-page.ts';

describe('recallPage', () => {
  test('returns the lines of a page and counts all lines', () => {
    const text = 'one\ntwo\nthree\n';
    expect(recallPage(text)).toEqual({
      lines: ['one', 'two', 'three'],
      from: 1,
      totalLines: 3,
      hasFolds: false,
    });
    expect(recallPage(text, { from: 2, lines: 1 })).toMatchObject({ lines: ['two'], totalLines: 3 });
    expect(recallPage(text, { from: 4 })).toMatchObject({ lines: [], totalLines: 3 });
    expect(recallPage('')).toMatchObject({ lines: [], totalLines: 0 });
  });

  test('folds long lines between characters, and counts each piece as a line', () => {
    const line = `${'x'.repeat(RECALL_FOLD_CHARS - 1)}😀y`;
    const page = recallPage(`${line}\nlast`);
    expect(page.lines).toEqual(['x'.repeat(RECALL_FOLD_CHARS - 1), '😀y', 'last']);
    expect(page).toMatchObject({ totalLines: 3, hasFolds: true });
  });

  test('stops before the character limit, but shows at least one line', () => {
    const line = 'x'.repeat(RECALL_FOLD_CHARS);
    const page = recallPage(Array.from({ length: 10 }, () => line).join('\n'));
    expect(page.lines).toHaveLength(Math.floor(RECALL_MAX_CHARS / (RECALL_FOLD_CHARS + 1)));
    expect(page.totalLines).toBe(10);
    const grown = recallPage('a\nb', { clean: (text) => text.repeat(RECALL_MAX_CHARS + 1) });
    expect(grown.lines).toHaveLength(1);
  });
});
