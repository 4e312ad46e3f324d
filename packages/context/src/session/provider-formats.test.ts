import type Anthropic from '@anthropic-ai/sdk';
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { anthropicFormat } from './anthropic-format.ts';
import { checkFormat } from './check-format.ts';
import { createContextSession } from './context-session.ts';
import { langChainFormat } from './langchain-format.ts';
import type { MessageFormat } from './message-format.ts';
import { responsesFormat } from './responses-format.ts';

type Item = OpenAI.Responses.ResponseInputItem;

const responses = responsesFormat<Item>();
const anthropic = anthropicFormat<Anthropic.MessageParam>();
const langChain = langChainFormat<BaseMessage>({ HumanMessage, AIMessage, ToolMessage });

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAYAAACqaXHe';

const ITEMS: Item[] = [
  { type: 'message', role: 'developer', content: 'Be careful.' },
  { role: 'user', content: 'Read both files.' },
  {
    role: 'user',
    content: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'low' }],
  },
  { role: 'user', content: [{ type: 'input_file', file_data: `data:application/pdf;base64,${PNG}` }] },
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Both at once.' }] },
  { type: 'function_call', call_id: 'a', name: 'read', arguments: '{"path":"a.ts"}' },
  { type: 'custom_tool_call', call_id: 'b', name: 'shell', input: 'cat b.ts' },
  { type: 'function_call_output', call_id: 'a', output: 'export const a = 1;' },
  {
    type: 'custom_tool_call_output',
    call_id: 'b',
    output: [{ type: 'input_text', text: 'export const b = 1;' }],
  },
  {
    type: 'message',
    role: 'assistant',
    id: 'msg_1',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
  },
  {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: 'the build' },
  },
];

const MESSAGES: Anthropic.MessageParam[] = [
  { role: 'user', content: 'Read both files.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look.' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      {
        type: 'document',
        title: 'The plan',
        context: 'Written in May.',
        source: { type: 'base64', media_type: 'application/pdf', data: PNG },
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A plain plan.' } },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Both at once.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'c2VhbGVkIHRob3VnaHRz' },
      { type: 'tool_use', id: 'a', name: 'read', input: { path: 'a.ts' } },
      { type: 'tool_use', id: 'b', name: 'read', input: { path: 'b.ts', lines: [1, 2] } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: 'export const a = 1;' },
      {
        type: 'tool_result',
        tool_use_id: 'b',
        content: [
          { type: 'text', text: 'export const b = 1;' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        ],
        is_error: true,
      },
      { type: 'text', text: 'Now compare them.' },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'They differ.' }] },
];

const call = (id: string, path: string) => ({ id, name: 'read', args: { path }, type: 'tool_call' as const });

const CHAIN: BaseMessage[] = [
  new SystemMessage('Be careful.'),
  new HumanMessage('Read both files.'),
  new HumanMessage({
    content: [
      { type: 'text', text: 'Look.' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
      { type: 'image', source_type: 'base64', mime_type: 'image/png', data: PNG },
      { type: 'file', mimeType: 'application/pdf', data: PNG },
    ],
  }),
  new AIMessage({
    content: '',
    tool_calls: [call('a', 'a.ts'), call('b', 'b.ts')],
    additional_kwargs: { reasoning_content: 'Both at once.' },
  }),
  new ToolMessage({ content: 'export const a = 1;', tool_call_id: 'a' }),
  new ToolMessage({ content: 'no such file', tool_call_id: 'b', status: 'error' }),
  new AIMessage({
    content: [
      { type: 'text', text: 'Once more.' },
      { type: 'tool_use', id: 'c', name: 'read', input: { path: 'c.ts' } },
    ],
    tool_calls: [call('c', 'c.ts')],
  }),
  new ToolMessage({ content: 'export const c = 1;', tool_call_id: 'c' }),
  new AIMessage('They differ.'),
];

/** Appends every message, makes the window overflow with a large result, and returns what is sent. */
async function compacted<M>(format: MessageFormat<M>, messages: readonly M[]): Promise<M[]> {
  const session = createContextSession({ format, windowTokens: 8_000, maxOutputTokens: 1_000 });
  session.append(messages);
  session.append([format.userMessage('long ago '.repeat(2_000)), format.assistantMessage('Noted.')]);
  session.append([format.userMessage('Go on.'), format.assistantMessage('more words '.repeat(1_500))]);
  const fitted = await session.fit();
  expect(fitted.compacted).toBeDefined();
  return fitted.messages;
}

describe('responsesFormat', () => {
  it('reads every kind of item', () => {
    expect(() => checkFormat(responses, ITEMS)).not.toThrow();
  });

  it('refuses an item_reference, whose size is unknown', () => {
    const session = createContextSession({ format: responses, windowTokens: 8_000, maxOutputTokens: 1_000 });
    expect(() => session.append([{ type: 'item_reference', id: 'msg_1' }])).toThrow(/Send the item itself/);
    expect(session.messageCount).toBe(0);
  });

  it('answers open calls directly after their own answer', async () => {
    const open = ITEMS.filter((item) => !('call_id' in item && item.call_id === 'b' && 'output' in item));
    const session = createContextSession({ format: responses, windowTokens: 8_000, maxOutputTokens: 1_000 });
    session.append(open);
    const { messages } = await session.fit();
    const at = messages.findIndex((item) => item.type === 'function_call_output' && item.call_id === 'b');
    expect(messages[at - 1]).toMatchObject({ type: 'function_call_output', call_id: 'a' });
  });
});

describe('anthropicFormat', () => {
  it('reads every kind of block', () => {
    expect(() => checkFormat(anthropic, MESSAGES)).not.toThrow();
  });

  it('sends results with a text beside them as one message again', async () => {
    const session = createContextSession({ format: anthropic, windowTokens: 8_000, maxOutputTokens: 1_000 });
    expect(session.sync(MESSAGES)).toBe(MESSAGES.length);
    expect(session.messageCount).toBe(MESSAGES.length);
    expect(session.sync(MESSAGES)).toBe(0);
    const { messages } = await session.fit();
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(messages[2]).toEqual(MESSAGES[3]);
  });

  it('counts its messages, not their halves, in truncate and in a state', () => {
    const options = { format: anthropic, windowTokens: 8_000, maxOutputTokens: 1_000 };
    const session = createContextSession({ ...options });
    session.append(MESSAGES);
    const restored = createContextSession({ ...options, state: JSON.parse(JSON.stringify(session)) });
    restored.truncate(4);
    expect(restored.toJSON().messages).toEqual(MESSAGES.slice(0, 4));
    expect(restored.sync(MESSAGES)).toBe(1);
  });

  it('keeps the request valid after a compaction', async () => {
    const messages = await compacted(anthropic, MESSAGES);
    const roles = messages.map(({ role }) => role);
    expect(roles).toEqual(roles.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')));
  });
});

describe('langChainFormat', () => {
  it('reads every kind of message', () => {
    // A message repeats what it was made of, for its serialised form, and a call in the content is also in tool_calls.
    const notSent = ['lc_kwargs', 'lc_namespace', 'response_metadata', 'input'];
    expect(() => checkFormat(langChain, CHAIN, { notSent })).not.toThrow();
  });

  it('changes a call wherever the message has it', () => {
    const message = new AIMessage({
      content: [{ type: 'tool_use', id: 'a', name: 'write', input: { text: 'long' } }],
      tool_calls: [{ id: 'a', name: 'write', args: { text: 'long' } }],
      additional_kwargs: { tool_calls: [], keep: 1 },
    });
    const changed = langChain.rewrite(message, new Map([[1, { input: { text: 'cut' } }]]));
    expect(changed).toBeInstanceOf(AIMessage);
    expect(changed.toDict().data).toMatchObject({
      content: [{ input: { text: 'cut' } }],
      tool_calls: [{ args: { text: 'cut' } }],
      additional_kwargs: { keep: 1 },
    });
    expect(changed.additional_kwargs).toEqual({ keep: 1 });
    expect(JSON.stringify(message)).not.toContain('cut');
  });

  it('writes messages of the classes of LangChain', async () => {
    const messages = await compacted(langChain, CHAIN);
    expect(messages.every((message) => message.constructor.name.endsWith('Message'))).toBe(true);
  });
});
