import { expect, it } from 'vitest';
import { SharedQuery } from './shared-query.ts';

it('answers the questions of one turn of the event loop with one query', async () => {
  const queries: (readonly string[])[] = [];
  const shared = new SharedQuery(async (keys) => {
    queries.push(keys);
    return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, key.toUpperCase()]));
  });
  const first = await Promise.all(['a', 'b', 'a', 'unknown'].map((key) => shared.ask(key)));
  expect(first).toEqual(['A', 'B', 'A', undefined]);
  expect(await shared.ask('a')).toBe('A');
  expect(queries).toEqual([['a', 'b', 'unknown'], ['a']]);
});

it('fails all questions of a failed query, and asks again for later ones', async () => {
  let calls = 0;
  const shared = new SharedQuery<string>(async () => {
    calls += 1;
    if (calls === 1) throw new Error('lost');
    return new Map([['a', 'A']]);
  });
  const both = await Promise.allSettled([shared.ask('a'), shared.ask('b')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await shared.ask('a')).toBe('A');
});
