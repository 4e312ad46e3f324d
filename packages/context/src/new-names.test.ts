import { expect, it } from 'vitest';
import { newNames } from './new-names.ts';

it('returns the new words of sentences that repeat the form of others', () => {
  const owner = (file: string, name: string) => `The owner of the file ${file} is ${name}, as its text says.`;
  const names = newNames([owner('one', 'Ada'), owner('two', 'Bert'), owner('two', 'Carl')]);
  expect(names.slice(1)).toEqual(['two Bert', 'Carl']);
});

it('returns only the new exact names of other sentences', () => {
  expect(
    newNames([
      'The parser in src/parse.ts failed on empty input, so parseLine returns undefined now.',
      'Callers of parseLine were changed where they expected a value, such as in src/read.ts.',
      'Everybody seems happy with these results.',
    ]),
  ).toEqual(['src/parse.ts parseLine', 'src/read.ts', '']);
});

it('returns the items of an earlier list, so that a second cut keeps them', () => {
  expect(newNames(['Bert owns it.', '\nAlso named: two Bert, three Carl, Bert.'])).toEqual([
    '',
    'two Bert, three Carl',
  ]);
});
