import { expect, it } from 'vitest';
import { findMentions } from './mentions.ts';

it.each<[string, string[][]]>([
  ['Fix @src/a.ts', [['src/a.ts']]],
  [
    'See @a.ts, and (@b.ts).',
    [
      ['a.ts,', 'a.ts'],
      ['b.ts).', 'b.ts)', 'b.ts'],
    ],
  ],
  ['Read @"two words.txt" and @\'more words\'!', [['two words.txt'], ['more words']]],
  ['"@a.ts"', [['a.ts']]],
  ['`@a.ts`', [['a.ts']]],
  ['a line\n@b.ts', [['b.ts']]],
  [
    'at @a.ts:12, or @b.ts:3-9',
    [
      ['a.ts:12,', 'a.ts:12', 'a.ts'],
      ['b.ts:3-9', 'b.ts'],
    ],
  ],
  ['@a!!!!!!', [['a!!!!!!', 'a!!!!!', 'a!!!!', 'a!!!', 'a!!']]],
  ['Ask me@example.com', []],
  ['npm install @scope/package', [['scope/package']]],
  ['git log HEAD@{1} user@host:x', []],
  ['only @ and @" and @...', [['...', '..', '.']]],
  ['@grüße/ünï.txt', [['grüße/ünï.txt']]],
])('%j mentions %j', (text, names) => {
  expect(findMentions(text).map((mention) => mention.names)).toEqual(names);
});
