import { describe, expect, it } from 'vitest';
import { nearestNames, pairSimilarity, suggestion } from './did-you-mean.ts';

describe('nearestNames', () => {
  it.each([
    ['rn', ['run', 'fork'], ['run']],
    ['serach', ['show', 'search'], ['search']],
    ['stepz', ['steps', 'time'], ['steps']],
    ['MODLE', ['mode', 'model'], ['model']],
    ['contextWindow', ['window', 'outputReserve'], ['window']],
    ['turnExecutor.ts', ['turn-executor.ts', 'index.ts'], ['turn-executor.ts']],
    ['client-http.ts', ['http-client.ts', 'server.ts'], ['http-client.ts']],
  ])('finds the name that %s was meant to be', (word, candidates, expected) => {
    expect(nearestNames(word, candidates)).toEqual(expected);
  });

  it.each([
    ['run', ['fork', 'show', 'cancel']],
    ['x', ['run', 'y']],
    ['', ['run', '']],
    ['anything', []],
  ])('finds none for %j among %j', (word, candidates) => {
    expect(nearestNames(word, candidates).filter((name) => name !== word)).toEqual([]);
  });

  it('returns up to `limit` names, the most similar first', () => {
    const names = ['tools.test.ts', 'tool.ts', 'tools.tsx', 'index.ts', 'tools.js'];
    expect(nearestNames('tools.ts', names, { limit: 3 })).toEqual(['tools.tsx', 'tools.js', 'tool.ts']);
  });

  it('prefers the closest length among equally similar names, then the alphabet', () => {
    expect(nearestNames('modle', ['mode', 'model'])).toEqual(['model']);
    expect(nearestNames('abx', ['abd', 'abc'])).toEqual(['abc']);
  });

  it('finds none for a word longer than a file name can be, and ignores such candidates', () => {
    const long = 'a'.repeat(256);
    expect(nearestNames(long, [long])).toEqual([]);
    expect(nearestNames('a'.repeat(255), [long])).toEqual([]);
    expect(nearestNames('a'.repeat(255), ['a'.repeat(254)])).toEqual(['a'.repeat(254)]);
  });
});

it('suggestion quotes the closest name, shows it as the caller wants, or is empty', () => {
  expect(suggestion('modle', ['model', 'mode'])).toBe(' Did you mean "model"?');
  expect(suggestion('modle', ['model'], (name) => `--${name}`)).toBe(' Did you mean --model?');
  expect(suggestion('modle', ['sandbox'])).toBe('');
});

it('pairSimilarity is 1 for equal texts, 0 for unrelated ones, and counts each pair once', () => {
  expect(pairSimilarity('a', 'a')).toBe(1);
  expect(pairSimilarity('a', 'b')).toBe(0);
  expect(pairSimilarity('abab', 'abxy')).toBeCloseTo(1 / 3);
  expect(pairSimilarity('night', 'nacht')).toBe(0.25);
});
