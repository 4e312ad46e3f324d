import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EDIT_CORPUS } from '../../test/edit-corpus.ts';
import { planEdits } from './plan-edits.ts';

describe('awkward edits', () => {
  test('are a corpus of more than 100 with different names', () => {
    expect(EDIT_CORPUS.length).toBeGreaterThan(100);
    expect(new Set(EDIT_CORPUS.map(({ what }) => what)).size).toBe(EDIT_CORPUS.length);
  });

  test.each(EDIT_CORPUS.map((each): [string, typeof each] => [each.what, each]))(
    '%s',
    async (_what, { file, old, new: replacement, all = false, expected }) => {
      const planned = await planEdits(file, [{ old, new: replacement, all }]);
      if (typeof expected === 'string') expect(planned).toMatchObject({ text: expected });
      else expect(planned).toMatchObject({ refusal: expect.stringMatching(expected) });
    },
  );
});

/**
 * Ways in which models write a block of a file down wrongly, at an index of its lines. Each is undone by the match, or
 * refused.
 */
const MUTATIONS: Readonly<Record<string, (text: string, at: number) => string>> = {
  'trailing blanks': (text) => text.replaceAll(/(\S)$/gm, '$1  '),
  'typographic quotes': (text) => text.replaceAll('"', '\u201d'),
  'no-break spaces': (text) => text.replaceAll(/(?<=\S) (?=\S)/g, '\u00a0'),
  'a level more': (text) => text.replaceAll(/^(?=.*\S)/gm, '    '),
  tabs: (text) => text.replaceAll(/^( {4})+/gm, (blanks) => '\t'.repeat(blanks.length / 4)),
  'half the width': (text) => text.replaceAll(/^ +/gm, (blanks) => ' '.repeat(blanks.length / 2)),
  'line numbers': (text, at) => numberLines(text, at + 1),
  'line numbers of an older state': (text, at) => numberLines(text, at + 6),
  'escaped line feeds': (text) => text.replaceAll('\n', '\\n'),
  CRLF: (text) => text.replaceAll('\n', '\r\n'),
};

function numberLines(text: string, first: number): string {
  return text
    .split('\n')
    .map((each, index) => `${index + first}\t${each}`)
    .join('\n');
}

const line = fc
  .tuple(
    fc.integer({ min: 0, max: 3 }),
    fc.array(fc.constantFrom('a', 'b = 1', 'call("x y")', 'if c:', '}', '"q"'), { maxLength: 3 }),
  )
  .map(([level, words]) => (words.length === 0 ? '' : ' '.repeat(level * 4) + words.join(' ')));

test('lands in the right place, or is refused, for every mutation of a random block of a random file', async () => {
  let acceptedEdits = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 14 }),
      fc.nat(),
      fc.integer({ min: 1, max: 5 }),
      fc.nat(),
      fc.constantFrom(...Object.values(MUTATIONS)),
      async (lines, seed, length, changed, mutate) => {
        const at = seed % lines.length;
        const block = lines.slice(at, at + length);
        const index = changed % block.length;
        const renewed = block.map((each, own) =>
          own === index ? `${/^ */.exec(each)?.[0]}renewed("a b")` : each,
        );
        const file = lines.join('\n');
        // The indentation of a single level does not show whether it was shifted or scaled.
        const levels = new Set(
          block.filter((each) => each !== '').map((each) => /^ */.exec(each)?.[0].length),
        );
        if (mutate === MUTATIONS['half the width'] && levels.size < 2) return;
        const edit = { old: mutate(block.join('\n'), at), new: mutate(renewed.join('\n'), at), all: false };
        // A text that the file has elsewhere, exactly, means that place.
        if (edit.old.trim() === '' || (edit.old !== block.join('\n') && file.includes(edit.old))) return;
        const planned = await planEdits(file, [edit]);
        if ('refusal' in planned) return;
        acceptedEdits += 1;
        const expected = lines.map((each, own) => (own === at + index ? (renewed[index] ?? '') : each));
        const plain = (text: string) =>
          text
            .replaceAll('\u201d', '"')
            .replaceAll('\u00a0', ' ')
            .replaceAll(/[ \t]+$/gm, '');
        const got = planned.text.split('\n');
        const elsewhere = (texts: readonly string[]) => texts.filter((_, own) => own !== at + index);
        expect(elsewhere(got).map(plain)).toEqual(elsewhere(expected).map(plain));
        expect(plain(got[at + index] ?? '')).toBe(plain(expected[at + index] ?? ''));
      },
    ),
    { numRuns: 3_000 },
  );
  expect(acceptedEdits).toBeGreaterThan(500);
});

test.each(Object.entries(MUTATIONS))('accepts %s wherever the block is unique', async (_what, mutate) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4, maxLength: 12 }),
      fc.nat(),
      async (levels, seed) => {
        const lines = levels.map((level, index) => `${' '.repeat(level * 4)}call${index}("x y");`);
        const at = seed % (lines.length - 2);
        const block = lines.slice(at, at + 3);
        const renewed = [block[0], `${/^ */.exec(block[1] ?? '')?.[0]}renewed("a b");`, block[2]];
        const edit = { old: mutate(block.join('\n'), at), new: mutate(renewed.join('\n'), at), all: false };
        const planned = await planEdits(lines.join('\n'), [edit]);
        const expected = lines.with(at + 1, renewed[1] ?? '').join('\n');
        const plain = (text: string) => text.replaceAll('\u201d', '"').replaceAll('\u00a0', ' ');
        expect('text' in planned ? plain(planned.text).replaceAll(/ +$/gm, '') : planned.refusal).toBe(
          expected,
        );
      },
    ),
  );
});

describe('several edits', () => {
  const plan = (file: string, ...edits: [string, string][]) =>
    planEdits(
      file,
      edits.map(([old, replacement]) => ({ old, new: replacement, all: false })),
    );

  test('are made all, in any order', async () => {
    expect(await plan('a\nb\nc\n', ['c', 'C'], ['a', 'A'])).toMatchObject({
      text: 'A\nb\nC\n',
      replacements: 2,
    });
  });

  test('can follow each other', async () => {
    expect(await plan('a\n', ['a', 'bb'], ['bb', 'c'])).toMatchObject({ text: 'c\n' });
  });

  test('match the original text if an earlier one writes the same', async () => {
    expect(await plan('foo\nbar\n', ['foo', 'bar'], ['bar', 'baz'])).toMatchObject({ text: 'bar\nbaz\n' });
  });

  test('are refused together', async () => {
    expect(await plan('a\nb\n', ['a', 'A'], ['x1', 'y'])).toEqual({
      refusal: expect.stringMatching(/^edit 2 of 2: `old` was not found.*\nNothing was changed\.$/s),
    });
  });

  test('are refused if they overlap', async () => {
    expect(await plan('abc\n', ['ab', 'x'], ['bc', 'y'])).toHaveProperty('refusal');
  });
});
