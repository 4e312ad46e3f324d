import type { ChatMessage } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { PromptCounter } from './prompt-counter.ts';

const say = (content: string): ChatMessage => ({ role: 'user', content });

it('counts each message of a growing session once', () => {
  const counted: string[] = [];
  const counter = new PromptCounter((text) => {
    if (text !== '') counted.push(text);
    return text.length;
  });
  const messages: ChatMessage[] = [];
  for (const content of ['one', 'two', 'three']) {
    messages.push(say(content));
    counter.count({ model: 'm', messages });
  }
  expect(counted).toEqual(['one', 'two', 'three']);
});

it('adds 4 for each message, 3 for priming, and the names and arguments of calls', () => {
  const counter = new PromptCounter((text) => text.length);
  const call = { id: 'not counted', type: 'function' as const, function: { name: 'ab', arguments: '{}' } };
  const prompt = counter.count({
    model: 'm',
    messages: [
      say('12345'),
      { role: 'assistant', content: null, reasoning_content: 'xyz', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'not counted', content: [{ type: 'text', text: '1234567' }] },
    ],
  });
  expect(prompt).toMatchObject({ promptTokens: 9 + 11 + 11 + 3, messageTokens: 34, toolTokens: 0 });
});

it('shares a prefix only with the remembered request, and only if the tools are the same', () => {
  const counter = new PromptCounter((text) => text.length);
  const messages = [say('one'), say('two')];
  const first = counter.count({ model: 'm', messages });
  expect(counter.count({ model: 'm', messages }).cachedTokens).toBe(0);
  counter.remember(first.prefix);
  expect(counter.count({ model: 'm', messages: [say('one'), say('other')] }).cachedTokens).toBe(7);
  const tools = [{ type: 'function' as const, function: { name: 'read' } }];
  expect(counter.count({ model: 'm', messages, tools }).cachedTokens).toBe(0);
});
