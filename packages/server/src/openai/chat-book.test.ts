import { createMemoryCache } from '@longhaul/storage/memory';
import { expect, it } from 'vitest';
import { ChatBook } from './chat-book.ts';
import type { ClientMessage } from './chat-request.ts';
import { HistoryChain } from './history-chain.ts';

const said = (...texts: string[]): ClientMessage[] =>
  texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));

function bookWith(cache = createMemoryCache()) {
  const book = new ChatBook(cache);
  return {
    find: (history: ClientMessage[], { hint = '', gone = '' } = {}) =>
      book.find(history, {
        chain: new HistoryChain('coder', history),
        hint,
        exists: async (id) => id !== gone,
      }),
    remember: (history: ClientMessage[], sessionId: string, hint = '') =>
      book.remember(new HistoryChain('coder', history), hint, { sessionId, sequence: history.length }),
  };
}

it('finds the longest known prefix despite whitespace and reasoning that a front-end added to answers', async () => {
  const { find, remember } = bookWith();
  await remember(said('a', 'One.\n\nTwo.'), 's1');
  await remember(said('a', 'One.\n\nTwo.', 'b', 'Three.'), 's1');
  const thought = '<details type="reasoning" done="true">\nHm.\n</details>\nOne. Two. ';
  expect(await find(said('a', thought, 'b', 'Three.'))).toEqual({
    sessionId: 's1',
    sequence: 4,
    messages: 4,
  });
  expect(await find(said('a', 'One. Two.', 'b changed', 'Other.'))).toMatchObject({
    sequence: 2,
    messages: 2,
  });
  expect(await find(said('A', 'One. Two.'))).toBeUndefined();
  expect(await find([])).toBeUndefined();
});

it('separates chats by hint, falls back to the entry without a hint, and skips deleted sessions', async () => {
  const { find, remember } = bookWith();
  await remember(said('hi', 'Hello.'), 's1', 'chat 1');
  await remember(said('hi', 'Hello.'), 's2', 'chat 2');
  expect(await find(said('hi', 'Hello.'), { hint: 'chat 1' })).toMatchObject({ sessionId: 's1' });
  expect(await find(said('hi', 'Hello.'), { hint: 'chat 3' })).toMatchObject({ sessionId: 's2' });
  await remember(said('hi', 'Hello.', 'more', 'Yes.'), 's3');
  expect(await find(said('hi', 'Hello.', 'more', 'Yes.'), { gone: 's3' })).toMatchObject({
    sessionId: 's2',
    messages: 2,
  });
});

it('continues if the cache fails', async () => {
  const fails = () => Promise.reject(new Error('no disk'));
  const { find, remember } = bookWith({ get: fails, getFirst: fails, set: fails, delete: fails });
  await remember(said('a', 'b'), 's1');
  expect(await find(said('a', 'b'))).toBeUndefined();
});

it('needs one cache lookup for a chat of 10,000 messages', async () => {
  const cache = createMemoryCache();
  let lookups = 0;
  const { find, remember } = bookWith({
    ...cache,
    set: (key, value) => cache.set(key, value),
    getFirst: (keys) => {
      lookups += 1;
      return cache.getFirst(keys);
    },
  });
  const long = said(...Array.from({ length: 10_000 }, (_, index) => `message ${index}`));
  await remember(long, 's1');
  expect(await find(long)).toMatchObject({ messages: 10_000 });
  expect(lookups).toBe(1);
});
