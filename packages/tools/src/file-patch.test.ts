import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeChange } from './file-patch.ts';

const lines = (count: number, text = 'line') =>
  Array.from({ length: count }, (_, at) => `${text} ${at + 1}\n`);

test('returns the changed lines with two context lines and the line numbers of the file', async () => {
  const before = lines(100);
  const after = [...before.slice(0, 49), 'new\n', 'newer\n', ...before.slice(50)];
  expect(await describeChange(before.join(''), after.join(''))).toEqual({
    patch: '@@ -48,5 +48,6 @@\n line 48\n line 49\n-line 50\n+new\n+newer\n line 51\n line 52',
    added: 2,
    removed: 1,
  });
});

test('returns nothing for equal texts and for texts that differ in too many lines', async () => {
  expect(await describeChange('a', 'a')).toEqual({});
  expect(await describeChange(lines(3_000, 'old').join(''), lines(3_000, 'new').join(''))).toEqual({});
});

test('cuts a long patch at the end of a line, and counts all changed lines', async () => {
  const change = await describeChange('', lines(900, 'x'.repeat(40)).join(''));
  expect(change).toMatchObject({ patchCut: true, added: 900, removed: 0 });
  expect(String(change['patch']).length).toBeLessThanOrEqual(20_000);
  expect(change['patch']).toMatch(/\n\+x{40} \d+$/);
});

test('compares a large file with a small change fast', async () => {
  const before = lines(400_000).join('');
  expect(await describeChange(before, before.replace('line 200000\n', 'here\n'))).toMatchObject({
    added: 1,
    removed: 1,
  });
});

test('returns a patch that turns one text into the other', async () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd'), { maxLength: 12 })
    .map((all) => all.join(''));
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const { patch = '' } = await describeChange(before, after);
      expect(patch === '' ? before : applyPatch(before, `--- a\n+++ b\n${patch}\n`)).toBe(after);
    }),
  );
});
