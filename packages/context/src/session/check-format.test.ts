import type { ModelMessage } from 'ai';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { type ChainMessage, chainFormat } from '../../test/loops/hosts.ts';
import { independentCount } from '../../test/loops/independent-count.ts';
import { aiSdkFormat } from './ai-sdk-format.ts';
import { checkFormat } from './check-format.ts';
import { createContextSession } from './context-session.ts';
import { type MessageFormat, type MessageReading, textPart } from './message-format.ts';
import { openAiChatFormat } from './openai-chat-format.ts';

const CHAIN: ChainMessage[] = [
  { type: 'system', content: 'Be careful.' },
  { type: 'human', content: 'Read both files.', images: [{ detail: 'low', isLink: true }] },
  {
    type: 'ai',
    content: '',
    tool_calls: [
      { id: 'a', name: 'read', args: { path: 'a.ts' } },
      { id: 'b', name: 'read', args: { path: 'b.ts', lines: [1, 2] } },
    ],
    additional_kwargs: { reasoning_content: 'Both at once.' },
  },
  { type: 'tool', tool_call_id: 'b', content: 'export const b = 1;' },
  { type: 'tool', tool_call_id: 'a', content: 'export const a = 1;' },
  { type: 'ai', content: 'Done.' },
];

/** The fault of a real format: an empty text has no part in the reading, but `rewrite` expects one. */
const shifted: MessageFormat<ChainMessage> = {
  ...chainFormat,
  read(message) {
    const reading = chainFormat.read(message);
    if (reading.role !== 'assistant' || message.content !== '') return reading;
    return { role: 'assistant', parts: reading.parts.slice(1) };
  },
};

/** Makes the parts by hand, an empty text among them, which the view leaves out. */
const byHand: MessageFormat<ChainMessage> = {
  ...chainFormat,
  read(message) {
    const reading = chainFormat.read(message);
    if (reading.role !== 'assistant') return reading;
    const text = { type: 'text', text: message.content, state: 'done' } as const;
    return { role: 'assistant', parts: [text, ...reading.parts.slice(1)] };
  },
};

function withReading(change: (reading: MessageReading) => MessageReading): MessageFormat<ChainMessage> {
  return { ...chainFormat, read: (message) => change(chainFormat.read(message)) };
}

describe('checkFormat', () => {
  it('accepts the formats of this package', () => {
    const call = (id: string, path: string) => {
      return {
        id,
        type: 'function' as const,
        function: { name: 'read', arguments: JSON.stringify({ path }) },
      };
    };
    const chat: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Be careful.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'https://a.example' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call('a', 'a.ts'), call('b', 'b.ts')] },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'export {};' }] },
      { role: 'tool', tool_call_id: 'b', content: 'export {};' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ],
      },
    ];
    checkFormat(openAiChatFormat<OpenAI.ChatCompletionMessageParam>(), chat);
    const use = (toolCallId: string) => ({ toolCallId, toolName: 'read' });
    const sdk: ModelMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'file', mediaType: 'image/png', data: new Uint8Array(3) },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Both at once.' },
          { type: 'text', text: '' },
          { type: 'tool-call', ...use('a'), input: { path: 'a.ts' } },
          { type: 'tool-call', ...use('b'), input: { path: 'b.ts' } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', ...use('a'), output: { type: 'text', value: 'export {};' } },
          { type: 'tool-result', ...use('b'), output: { type: 'error-json', value: { why: 'missing' } } },
        ],
      },
      { role: 'assistant', content: 'Done.' },
    ];
    checkFormat(aiSdkFormat<ModelMessage>(), sdk);
  });

  it('accepts calls beside an empty text, with the helpers or by hand', () => {
    checkFormat(chainFormat, CHAIN);
    checkFormat(byHand, CHAIN);
  });

  it.each<[string, MessageFormat<ChainMessage>, RegExp]>([
    [
      'shifts the parts of a message with an empty text',
      shifted,
      /Sample 2: rewrite of part 0: part 0 does not have its new arguments/,
    ],
    [
      'ignores changes',
      { ...chainFormat, rewrite: (message) => message },
      /Sample 1: rewrite of part 0: part 0 does not have its new text/,
    ],
    [
      'changes the message itself',
      {
        ...chainFormat,
        rewrite: (message, changes) => Object.assign(message, chainFormat.rewrite(message, changes)),
      },
      /rewrite of part 0 modifies the message/,
    ],
    [
      'loses an id',
      {
        ...chainFormat,
        rewrite: (message, changes) => ({ ...chainFormat.rewrite(message, changes), tool_call_id: 'x' }),
      },
      /Sample 3: rewrite of part 0: part 0 has another id or name/,
    ],
    ['has no parts', { ...chainFormat, read: () => ({ role: 'user' }) as never }, /parts must be an array/],
    [
      'reads an unknown role',
      { ...chainFormat, read: () => ({ role: 'human', parts: [] }) as never },
      /role must be system, user/,
    ],
    [
      'throws',
      {
        ...chainFormat,
        read: () => {
          throw new Error('no such kind');
        },
      },
      /read throws: no such kind/,
    ],
    [
      'writes what it cannot read',
      { ...chainFormat, userMessage: (content) => ({ type: 'ai', content }) },
      /userMessage: it is not read as written/,
    ],
    [
      'reads the output of a tool as nothing',
      withReading((reading) =>
        reading.role === 'tool'
          ? { ...reading, results: reading.results.map((result) => ({ ...result, output: [] })) }
          : reading,
      ),
      /Sample 3: content is not read/,
    ],
    [
      'reads no text of an answer',
      withReading((reading) =>
        reading.role === 'assistant'
          ? { ...reading, parts: reading.parts.map((part) => (part.type === 'text' ? textPart('x') : part)) }
          : reading,
      ),
      /Sample 5: content is not read/,
    ],
    [
      'reads no system text',
      withReading((reading) => (reading.role === 'system' ? { ...reading, text: '' } : reading)),
      /Sample 0: content is not read/,
    ],
    [
      'drops the last part',
      withReading((reading) =>
        reading.role === 'assistant' && reading.parts.length > 2
          ? { ...reading, parts: reading.parts.slice(0, -1) }
          : reading,
      ),
      /Sample 2: additional_kwargs\.reasoning_content is not read/,
    ],
    [
      'drops images',
      withReading((reading) =>
        reading.role === 'user'
          ? { ...reading, parts: reading.parts.filter(({ type }) => type !== 'file') }
          : reading,
      ),
      /Sample 1: images\[0\] is not read/,
    ],
    [
      'reads arguments as {}',
      withReading((reading) =>
        reading.role === 'assistant'
          ? {
              ...reading,
              parts: reading.parts.map((part) => (part.type === 'tool' ? { ...part, input: {} } : part)),
            }
          : reading,
      ),
      /Sample 2: tool_calls\[0\]\.args\.path is not read(?:.|\n)*tool_calls\[1\]\.args\.lines\[1\] is not read/,
    ],
  ])('refuses a format that %s', (_, format, problem) => {
    expect(() => checkFormat(format, structuredClone(CHAIN))).toThrow(problem);
  });

  it('names a field of the wire form, and an argument in JSON text, that are not read', () => {
    const format = openAiChatFormat<OpenAI.ChatCompletionMessageParam>();
    const lossy: typeof format = {
      ...format,
      read(message) {
        const reading = format.read(message);
        if (reading.role !== 'user' && reading.role !== 'assistant') return reading;
        const parts = reading.parts.filter(({ type }) => type !== 'file');
        return {
          ...reading,
          parts: parts.map((part) => (part.type === 'tool' ? { ...part, input: {} } : part)),
        };
      },
    };
    const called = { name: 'read', arguments: '{"path":"a.ts","from":3}' };
    const samples: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] },
      { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: called }] },
    ];
    expect(() => checkFormat(lossy, samples)).toThrow(/Sample 0: content\[0\] is not read/);
    expect(() => checkFormat(lossy, samples)).toThrow(
      /Sample 1: tool_calls\[0\]\.function\.arguments is not read/,
    );
  });

  it('does not require fields that are not sent', () => {
    const noted = CHAIN.map((message) => ({ ...message, id: 'x', note: 'For us only.' }));
    expect(() => checkFormat(chainFormat, noted)).toThrow(/Sample 0: note is not read.*notSent/);
    checkFormat(chainFormat, noted, { notSent: ['note'] });
  });

  it('refuses samples that show too little', () => {
    expect(() => checkFormat(chainFormat, [])).toThrow(/No sample is an answer with two calls/);
    expect(() =>
      checkFormat(
        chainFormat,
        CHAIN.filter(({ type }) => type !== 'tool'),
      ),
    ).toThrow(/No sample is the result/);
    expect(() => checkFormat(chainFormat, CHAIN.slice(3))).toThrow(/call id "b", which no earlier call has/);
    checkFormat(chainFormat, [CHAIN[1] ?? { type: 'human', content: '' }, { type: 'ai', content: 'Done.' }], {
      tools: false,
    });
  });
});

describe('a session with its own format', () => {
  const options = { windowTokens: 8_000, maxOutputTokens: 1_000 };
  const large = 'a line of text\n'.repeat(9_000);

  it.each([
    ['helpers', chainFormat],
    ['parts by hand', byHand],
  ])('cuts the result of a call beside an empty text: %s', async (_, format) => {
    const session = createContextSession({ format, ...options });
    session.append([...CHAIN.slice(0, 4), { type: 'tool', tool_call_id: 'a', content: large }]);
    const { messages } = await session.fit();
    expect(independentCount(messages, () => 85)).toBeLessThan(7_000);
    expect(messages.at(-1)).toMatchObject({ tool_call_id: 'a', content: expect.stringContaining('recall') });
  });

  it('names the format if its rewrite is one place off', async () => {
    const session = createContextSession({ format: shifted, ...options });
    const call = { id: 'a', name: 'write', args: { text: large } };
    session.append([
      { type: 'human', content: 'Write.' },
      { type: 'ai', content: '', tool_calls: [call] },
    ]);
    await expect(session.fit()).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/rewrite of message 1 is wrong.*checkFormat/),
    });
  });

  it('names the part of a reading that is invalid when the message is appended', () => {
    const wrong = (reading: unknown) =>
      ({ ...chainFormat, read: () => reading }) as MessageFormat<ChainMessage>;
    const append = (reading: unknown) => () =>
      createContextSession({ format: wrong(reading), ...options }).append(CHAIN.slice(0, 1));
    expect(append({ role: 'assistant', parts: [{ type: 'call' }] })).toThrow(
      /message 0 .*parts\[0\] is of no known type/,
    );
    expect(append({ role: 'user', parts: [{ type: 'tool', callId: 'a', name: 'b', input: {} }] })).toThrow(
      /in a message of the user/,
    );
    expect(append({ role: 'assistant', parts: [{ type: 'tool', name: 'b' }] })).toThrow(/needs a callId/);
    expect(append({ role: 'tool', results: [{ callId: 'a', output: 'text' }] })).toThrow(
      /results\[0\] has no array output/,
    );
    expect(append(undefined)).toThrow(/must be an object/);
  });
});
