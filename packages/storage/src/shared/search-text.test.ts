import assert from 'node:assert/strict';
import type { Part } from '@longhaul/protocol';
import { describe, it } from 'vitest';
import { parseTerms, searchTextOf, snippetOf, wordsOf } from './search-text.ts';

const text = (value: string): Part => ({ type: 'text', text: value, state: 'done' });
const words = (value: string) => searchTextOf(text(value))?.words.split(' ');

describe('searchTextOf', () => {
  it('splits identifiers at capitals and lists each word once', () => {
    assert.deepEqual(words('retryAfter retryAfterMs'), ['retry', 'After', 'Ms']);
    assert.deepEqual(words('parseHTTPResponse utf8Decoder'), [
      'parse',
      'HTTP',
      'Response',
      'utf8',
      'Decoder',
    ]);
    assert.deepEqual(words('größteÄnderung'), ['größte', 'Änderung']);
    assert.equal(searchTextOf(text('plain Words ALLCAPS snake_case'))?.words, '');
  });

  it('removes base64 and other long runs, and keeps ordinary text', () => {
    const run = 'QUJD'.repeat(100);
    assert.deepEqual(wordsOf(searchTextOf(text(`before ${run} after`))?.text ?? ''), ['before', 'after']);
    const path = 'some/path/'.repeat(19);
    assert.ok(searchTextOf(text(`x ${path}`))?.text.includes(path));
  });

  it('separates words that JSON would join with an escape', () => {
    const part: Part = {
      type: 'tool',
      callId: 'c',
      name: 'edit',
      input: { to: 'one\ntwo\ttab' },
      state: 'completed',
    };
    assert.deepEqual(wordsOf(searchTextOf(part)?.text ?? ''), ['edit', 'to', 'one', 'two', 'tab']);
  });

  it('handles long input without a break in linear time', () => {
    for (const piece of ['a', 'aB', 'A', '_', '会', 'é', '\u0301']) {
      assert.doesNotThrow(() => searchTextOf(text(piece.repeat(400_000))));
    }
  });
});

describe('parseTerms and snippetOf', () => {
  it('accept any input', () => {
    assert.deepEqual(parseTerms('  a "b" * 会議 '), ['a', '"b"', '会  議']);
    assert.deepEqual(parseTerms(''), []);
    assert.deepEqual(parseTerms('a a b '.repeat(100)), ['a', 'b']);
    const words = Array.from({ length: 33 }, (_, index) => `w${index}`);
    assert.equal(parseTerms(words.slice(1).join(' ')).length, 32);
    assert.throws(() => parseTerms(words.join(' ')), { code: 'invalid_request' });
    assert.throws(() => parseTerms('会'.repeat(1_001)), { code: 'invalid_request' });
    assert.equal(snippetOf('', 'x'), '');
    assert.equal(snippetOf('short text', 'absent'), 'short text');
  });

  it('never split a surrogate pair', () => {
    const emoji = '\u{1f600}'.repeat(1000);
    for (const term of ['x', 'y']) assert.ok(snippetOf(`${emoji}x${emoji}`, term).isWellFormed());
  });
});
