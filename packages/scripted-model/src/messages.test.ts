import type { ChatMessage } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { hasToolCall, lastUserText, toolResults, userTexts } from './messages.ts';

const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: text },
});

const messages: ChatMessage[] = [
  { role: 'system', content: 'You are a test.' },
  { role: 'user', content: 'Read it' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [call('1', 'read', '{"path":"a.md"}'), call('2', 'list', '{}')],
  },
  { role: 'tool', tool_call_id: '2', content: 'a.md' },
  { role: 'tool', tool_call_id: '1', content: [{ type: 'text', text: '# A' }] },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'And' },
      { type: 'image_url', image_url: { url: 'data:' } },
      { type: 'text', text: 'go on' },
    ],
  },
  { role: 'assistant', content: 'On it', tool_calls: [call('3', 'read', '{"path":"b.md"}')] },
];

it('finds the texts of the user', () => {
  expect(lastUserText(messages)).toBe('And\ngo on');
  expect(userTexts(messages)).toEqual(['Read it', 'And\ngo on']);
  expect(lastUserText([])).toBe('');
});

it('pairs calls with their results in the order of the calls', () => {
  expect(toolResults(messages).map(({ name, result }) => [name, result])).toEqual([
    ['read', '# A'],
    ['list', 'a.md'],
  ]);
  expect(toolResults(messages, 'list')).toEqual([{ id: '2', name: 'list', arguments: '{}', result: 'a.md' }]);
});

it('finds a call by its name and arguments', () => {
  expect(hasToolCall(messages, 'read', 'b.md')).toBe(true);
  expect(hasToolCall(messages, 'read', 'c.md')).toBe(false);
  expect(hasToolCall(messages, 'write')).toBe(false);
});
