import { checkFormat } from '@longhaul/context/check-format';
import type { ChatMessage } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { chatFormat } from './chat-format.ts';

const CALL = { name: 'read', arguments: '{"path":"a.ts"}' };

const SAMPLES: ChatMessage[] = [
  { role: 'user', content: 'Read the files.' },
  {
    role: 'assistant',
    content: '',
    tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function' as const, function: CALL })),
  },
  { role: 'tool', tool_call_id: 'a', content: 'export {};' },
  { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'export {};' }] },
  { role: 'assistant', content: 'Done.' },
];

/** The form of calls before `tool_calls`. */
const LEGACY = [
  { role: 'assistant', content: null, function_call: CALL },
  { role: 'function', name: 'read', content: 'export {};' },
] as unknown as ChatMessage[];

it('keeps the contract of message formats, for calls of both forms', () => {
  checkFormat(chatFormat(), [...SAMPLES, ...LEGACY]);
  const [call] = LEGACY;
  const lossy = { ...chatFormat(), rewrite: (message: ChatMessage) => message };
  expect(() => checkFormat(lossy, call === undefined ? [] : [call])).toThrow(
    /does not have its new arguments/,
  );
});
