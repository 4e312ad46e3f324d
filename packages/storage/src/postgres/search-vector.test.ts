import assert from 'node:assert/strict';
import { it } from 'vitest';
import { searchQuery, searchVector } from './search-vector.ts';

const vector = (text: string) => searchVector({ type: 'text', text, state: 'done' });

it('contains the words of a text with their places, and the words of its identifiers', () => {
  assert.equal(vector('Sets retryAfter, sets'), "'sets':1,3 'retryafter':2 'retry':5 'after':6");
});

it('is missing for a part without words, and for an open one', () => {
  assert.equal(vector('… !'), undefined);
  assert.equal(searchVector({ type: 'text', text: 'open', state: 'running' }), undefined);
});

it('is marked if it lacks places or words', () => {
  assert.match(vector('word '.repeat(256)) ?? '', /^'word':1,2,.*,255 '!'$/);
  assert.match(vector(`${'x'.repeat(100)}${'y'.repeat(99)} ${'1é'.repeat(300)}`) ?? '', /'!!'$/);
});

it('is found by a query of phrases', () => {
  assert.equal(
    searchQuery([['foo', 'bar'], ['one']]),
    "(('foo' <-> 'bar') & ('one')) | ('!' & ('foo' & 'bar') & ('one')) | '!!'",
  );
});
