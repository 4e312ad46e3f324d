import { createStrategy, STRATEGY_NAMES } from '@longhaul/context/engine';
import { countMessages, type TokenFamily } from '@longhaul/models';
import type { ChatMessage } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import {
  chat,
  contextWith,
  countingTokenizer,
  SYSTEM,
  selectingModel,
  textsOf,
  user,
  words,
} from '../../../test/compaction-support.ts';
import { parseRanges, rangesOf } from '../kept/number-ranges.ts';
import { BoundedMemo } from './bounded-memo.ts';
import { chatFormat } from './chat-format.ts';
import { readConversation } from './conversation.ts';
import { messageDigest } from './message-digest.ts';
import { isSideRequest } from './side-request.ts';
import { createTokenMeter } from './token-meter.ts';

it.each<[TokenFamily, number]>([
  ['llama3', 4],
  ['qwen', 4],
  ['mistral', 5],
  ['tekken', 5],
])('counts as %s does: %i tokens around a message and 3 for the reply', (family, overhead) => {
  const meter = createTokenMeter('m', { ...countingTokenizer(), family }, new BoundedMemo(100));
  const messages = chat(3);
  expect(meter.message(user('four'))).toBe(overhead + 1);
  expect(meter.fixed(undefined)).toBe(3);
  expect(meter.messages(messages) + meter.fixed(undefined)).toBe(
    countMessages(messages, { ...countingTokenizer(), family }),
  );
});

it('counts a malformed message as JSON', () => {
  const meter = createTokenMeter('m', countingTokenizer(), new BoundedMemo(100));
  for (const odd of [{ role: 'user', content: 5 }, { role: 'assistant', tool_calls: [null] }, {}])
    expect(meter.message(odd as unknown as ChatMessage)).toBeGreaterThanOrEqual(1);
});

it.each([
  ['<think>Which file?</think>\n\nDone.', 'Done.'],
  ['Which file?\n</think>\n\nDone.', 'Done.'],
  ['Use `<think>` tags.', 'Use `<think>` tags.'],
])('reads thoughts between tags in %j as no part of the answer', (content, said) => {
  const format = chatFormat();
  const message = { role: 'assistant', content } as const;
  const reading = format.read(message);
  const [text, ...others] = reading.role === 'assistant' ? reading.parts : [];
  expect(text).toMatchObject({ type: 'text', text: said });
  expect(others).toHaveLength(said === content ? 0 : 1);
  expect(format.rewrite(message, new Map())).toEqual(message);
});

describe('the hash of a message', () => {
  const text = messageDigest(user('Hello'));

  it('is the same for every form of the same content', () => {
    const forms = [
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { content: 'Hello', role: 'user' },
      { role: 'user', content: 'Hello', id: 'x', timestamp: 1 },
      { role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }] },
    ];
    for (const form of forms) expect(messageDigest(form as unknown as ChatMessage)).toBe(text);
  });

  it('differs if a model would read something else', () => {
    const others = [
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Hello ' },
      { role: 'user', content: 'Hello', name: 'ada' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hel' },
          { type: 'text', text: 'lo' },
        ],
      },
      { role: 'tool', content: 'Hello', tool_call_id: 'a' },
      { role: 'tool', content: 'Hello', tool_call_id: 'b' },
    ];
    const digests = others.map((other) => messageDigest(other as unknown as ChatMessage));
    expect(new Set([text, ...digests]).size).toBe(others.length + 1);
  });
});

it('hashes later system text, but not the system text before the conversation', () => {
  const [first] = readConversation([SYSTEM, user('a')]).chain.slice(-1);
  expect(readConversation([{ role: 'developer', content: 'x' }, SYSTEM, user('a')]).chain).toEqual([first]);
  expect(readConversation([user('a'), SYSTEM]).chain).toHaveLength(2);
  expect(readConversation([SYSTEM]).chain).toEqual([]);
});

it('tells a front-end’s side requests from the first question of a conversation', () => {
  const base = { model: 'm', windowTokens: 1 };
  const task = user('### Task:\nGenerate 1-3 tags.\n<chat_history>…</chat_history>');
  expect(isSideRequest({ ...base, messages: [task] })).toBe(true);
  expect(isSideRequest({ ...base, messages: [SYSTEM, user('Title?')], maxTokens: 50 })).toBe(true);
  expect(isSideRequest({ ...base, messages: [user('Title?')] })).toBe(false);
  expect(isSideRequest({ ...base, messages: [user('Title?')], maxTokens: 4_000 })).toBe(false);
  expect(isSideRequest({ ...base, messages: chat(3), maxTokens: 50 })).toBe(false);
  const tools = [{ type: 'function', function: { name: 'f' } } as const];
  expect(isSideRequest({ ...base, messages: [user('Look it up')], maxTokens: 50, tools })).toBe(false);
});

it.each([[[]], [[1]], [[1, 2, 3, 7]], [[2, 4, 5, 6, 100]]])(
  'reads the ranges of %j as written',
  (numbers) => {
    expect(parseRanges(rangesOf(numbers))).toEqual(numbers);
  },
);

it('keeps used entries in a bounded memo', () => {
  const memo = new BoundedMemo<number>(10);
  memo.set('kept', 1);
  for (let index = 0; index < 100; index += 1) {
    memo.set(`other ${index}`, index);
    expect(memo.get('kept')).toBe(1);
  }
  expect(memo.get('other 1')).toBeUndefined();
});

it.each(STRATEGY_NAMES)(
  'fits a conversation with tools with the strategy %s, and offers no `recall`',
  async (name) => {
    const messages: ChatMessage[] = [SYSTEM, user('Find the bug.')];
    for (let step = 1; step <= 25; step += 1) {
      const call = {
        id: `c${step}`,
        type: 'function',
        function: { name: 'bash', arguments: `{"command":"cat src/${step}.ts"}` },
      } as const;
      messages.push({ role: 'assistant', content: null, tool_calls: [call] });
      messages.push({
        role: 'tool',
        tool_call_id: call.id,
        content: words(step, step % 5 === 0 ? 9_000 : 1_500),
      });
    }
    const summary = 'What was done so far, and what comes next, in some more words than that.';
    const model = selectingModel(() => ({ status: 'ok', text: summary, finishedBy: 'stop' }));
    const { context } = contextWith({ strategy: createStrategy(name), askModel: model.askModel });
    const prepared = await context.prepare({ model: 'm', windowTokens: 8_192, messages });
    expect(prepared.estimatedTokens).toBeLessThan(5_554);
    expect(textsOf(prepared.messages)).not.toMatch(/recall/i);
    expect(textsOf(prepared.messages)).toContain('## Session Summary (Compaction Round 1)');
  },
);
