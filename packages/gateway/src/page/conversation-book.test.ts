import type { ChatMessage } from '@longhaul/protocol';
import { expect, test } from 'vitest';
import { mapCache, selectingModel } from '../../test/compaction-support.ts';
import { createConversationContext } from '../compaction/conversation-context.ts';
import { ConversationBook } from './conversation-book.ts';

const ABOUT = { upstream: 'local', model: 'm' };

/** A book, and a context that prepares the requests of conversations for it. */
function bench(windowTokens = 4_096, cache = mapCache()) {
  const context = createConversationContext({ cache, askModel: selectingModel().askModel, now: () => 0 });
  let time = 0;
  const book = new ConversationBook(() => {
    time += 1;
    return time;
  });
  return {
    book,
    cache,
    async say(messages: ChatMessage[], client = 'one') {
      book.note(await context.prepare({ model: 'm', windowTokens, messages, client }), ABOUT);
    },
  };
}

const turns = (count: number, name = ''): ChatMessage[] =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${name}${index}: ${'so many words. '.repeat(20)}`,
  }));

test('finds the next request of a conversation, and tells conversations and clients apart', async () => {
  const { book, say } = bench();
  await say(turns(1));
  await say(turns(1));
  await say(turns(3));
  await say(turns(3), 'two');
  await say(turns(1, 'other '));
  const list = book.list();
  expect(list.map(({ requests, messages }) => [requests, messages])).toEqual([
    [1, 1],
    [1, 3],
    [2, 3],
  ]);
  expect(list[2]).toMatchObject({ ...ABOUT, windowTokens: 4_096, compactions: [] });
  expect(list[2]?.title).toMatch(/^0: so many words\. .+…$/);
  expect(list[2]?.tokens).toBeGreaterThan(100);
});

test('starts another conversation for a second chat with the same first message', async () => {
  const { book, say } = bench();
  await say(turns(1));
  await say(turns(3));
  await say(turns(1));
  await say([...turns(1), { role: 'assistant', content: 'Other.' }, { role: 'user', content: 'And?' }]);
  expect(book.list().map(({ requests }) => requests)).toEqual([2, 2]);
});

test('finds a conversation whose first message changes each turn', async () => {
  const { book, say } = bench();
  const at = (time: string, count: number) => [
    { role: 'user' as const, content: `It is ${time}.` },
    ...turns(count),
  ];
  await say(at('10:00', 3));
  await say(at('10:01', 5));
  expect(book.list()).toMatchObject([{ requests: 2, messages: 6 }]);
});

test('keeps each new compaction once, with its summary and what it kept', async () => {
  const { book, cache, say } = bench();
  await say(turns(101));
  await say(turns(103));
  const [conversation] = book.list();
  expect(conversation?.compactions).toHaveLength(1);
  const [shown] = conversation?.compactions ?? [];
  expect(shown).toMatchObject({ round: 1, isByModel: true, isFromCache: false });
  expect(shown?.after).toBeLessThan(shown?.before ?? 0);
  const detail = book.compaction(shown?.id ?? '');
  expect(detail?.narrative).toContain('This is summary 1 of the talk.');
  expect(detail?.ledger).toContain('Instructions left out');
  expect(detail?.ledger).not.toContain('recall');
  expect(detail?.keptMessages.at(-1)).toMatchObject({
    role: 'user',
    excerpt: expect.stringMatching(/^100: so/),
  });
  expect((detail?.kept ?? 0) + (detail?.hidden ?? 0)).toBe(101);
  const later = bench(4_096, cache);
  await later.say(turns(101));
  expect(later.book.list()[0]?.compactions).toMatchObject([{ round: 1, isFromCache: true }]);
  expect(book.compaction('99.1')).toBeUndefined();
});

test('forgets the least recent of more than 100 conversations, and ignores requests for titles', async () => {
  const { book, say } = bench();
  for (let index = 0; index < 102; index += 1) await say(turns(1, `chat ${index} `));
  await say([
    {
      role: 'user',
      content: '### Task:\nGenerate a concise title for this chat.\n<chat_history>\nHi\n</chat_history>',
    },
  ]);
  const titles = book.list().map(({ title }) => title);
  expect(titles).toHaveLength(100);
  expect(titles[0]).toMatch(/^chat 101 /);
  expect(titles.at(-1)).toMatch(/^chat 2 /);
});

test.each([
  ['no content', [{ role: 'user' }]],
  [
    'a part that is not text',
    [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }],
  ],
  ['a call without a function', [{ role: 'assistant', content: null, tool_calls: [null, { id: 'x' }] }]],
  ['half of a character', [{ role: 'user', content: `${'x'.repeat(79)}😀 more` }]],
])('takes %s', async (_, messages) => {
  const { book } = bench();
  const context = createConversationContext({ cache: mapCache() });
  const prepared = await context.prepare({
    model: 'm',
    windowTokens: 4_096,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  // As a client sent them: nothing has checked them.
  const request = { ...prepared.request, messages: messages as ChatMessage[] };
  book.note({ ...prepared, request }, ABOUT);
  expect(book.list()[0]?.title.isWellFormed()).toBe(true);
});
