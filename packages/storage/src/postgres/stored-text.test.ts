import assert from 'node:assert/strict';
import { it } from 'vitest';
import { fromStoredText, toStoredText } from './stored-text.ts';

it.each(['', 'plain', 'a\0b', 'half \ud800 pair', '\u{10ffff}begins like a mark', '"quotes"', '\u{1f600}'])(
  'stores and returns %j, without what a text column refuses',
  (text) => {
    const stored = toStoredText(text);
    assert.equal(fromStoredText(stored), text);
    assert.ok(!stored.includes('\0') && stored.isWellFormed());
  },
);

it('stores ordinary texts as they are, so that queries can compare them', () => {
  assert.equal(toStoredText('plain'), 'plain');
});
