import { expect, it } from 'vitest';
import { isIntent, isResultSentence } from './said-kinds.ts';

it.each([
  'Added the index.',
  'All 4 files created and committed.',
  'All 1309 tests pass.',
  'I’ve confirmed the shape of the answer.',
  'The root cause is the cache of the decks.',
  'The tracker notes are in place.',
  '58 tests pass with 96% coverage.',
])('is a result: %s', (sentence) => {
  expect(isResultSentence(sentence)).toBe(true);
});

it.each([
  'They’re still working after the first 30 seconds.',
  'Remove the suffix of the label.',
  'It’ll be a command with two options.',
  'This change is about resolving links.',
  'The tests do not pass yet.',
  'Maybe the index was added twice.',
  'Should I have changed the list?',
  'The index is added before the field is created.',
  'Quoted fields can contain commas, so I write a small parser.',
])('is no result: %s', (sentence) => {
  expect(isResultSentence(sentence)).toBe(false);
});

it.each([
  ['Now let me run the tests.', true],
  ['Now update a.md to match.', true],
  ['I’m polling the workers now.', true],
  ['The list is slow, so I add an index.', true],
  ['The list was slow, so I added an index.', false],
  ['Now clients can read the list.', false],
  ['Let me know what you think.', false],
])('knows whether a sentence says what comes next: %s', (sentence, expected) => {
  expect(isIntent(sentence)).toBe(expected);
});
