import { expect, test } from 'vitest';
import { addNames, createNameIndex, type NameSource } from './name-index.ts';
import { rankNames } from './rank-names.ts';

type Text = [source: NameSource, text: string, file?: string];

/** Returns the names in these texts, those of the highest worth first. */
function ranked(...texts: Text[]): string[] {
  const index = createNameIndex();
  for (const [sequence, [source, text, file]] of texts.entries())
    addNames(index, text, { source, sequence: sequence + 1, file });
  return rankNames(index).map(({ name }) => name);
}

test('names in arguments of calls and in user messages come before names in outputs', () => {
  const output: Text = ['results', 'readCard dropCard sortCard'];
  expect(ranked(output, output, ['calls', 'sortCard'], ['users', 'dropCard'])).toEqual([
    'dropCard',
    'sortCard',
    'readCard',
  ]);
});

test('times, and the sides of a diff, are no names', () => {
  const diff: Text = ['results', 'diff --git a/src/card.ts b/src/card.ts at 2025-11-05T17:19:43.677Z'];
  expect(ranked(diff)).toEqual(['src/card.ts']);
});

test('a name that outputs showed several times comes before one that they showed once', () => {
  expect(ranked(['results', 'readCard dropCard'], ['results', 'dropCard'], ['results', 'dropCard'])).toEqual([
    'dropCard',
    'readCard',
  ]);
});

test('a name that the work met in several files comes before one of a single file', () => {
  const [first] = ranked(
    ['results', 'readCard dropCard', 'a.ts'],
    ['results', 'readCard', 'a.ts'],
    ['results', 'dropCard', 'b.ts'],
  );
  expect(first).toBe('dropCard');
});

test.each([
  'function dropCard() {}',
  'export class dropCard {',
  'type dropCard = 1',
  'def dropCard(self):',
  'func (store *Store) dropCard() {',
  'pub fn dropCard() {}',
  'export const dropCard = 1;',
])('a name that is defined comes before one that is only used: %s', (definition) => {
  expect(ranked(['results', `readCard(); ${definition}`])[0]).toBe('dropCard');
});

test('a name with a colon is not a position', () => {
  expect(ranked(['results', 'node:path'], ['results', '91c2e7a'])[0]).toBe('node:path');
});

test.each(['read/write', 'build/typecheck/test', 's/cards/decks/g'])(
  'words that a text joins come after all other names: %s',
  (words) => {
    expect(ranked(['texts', `${words} lib/cards.ts`]).at(-1)).toBe(words);
  },
);

test('a folder that a call or an output names is a path', () => {
  expect(ranked(['calls', 'src/cards'], ['texts', 'read/write'])[0]).toBe('src/cards');
});
