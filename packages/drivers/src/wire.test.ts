import type { ViewAssistantMessage, ViewMessage } from '@longhaul/context/engine';
import type { ModelInfo } from '@longhaul/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openAimock } from '../test/aimock.ts';
import { startChatServer } from '../test/chat-server.ts';
import { collect, MODEL_INFO, requestOf, userSays } from '../test/drive.ts';
import { tested } from '../test/tested-driver.ts';
import { createModelDriver } from './model-driver.ts';
import { findRefusedPart } from './refused-part.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const tool = (callId: string, text: string, patch: object = {}) => ({
  type: 'tool' as const,
  callId,
  name: 'read',
  input: { path: text },
  output: [{ type: 'text' as const, text }],
  isError: false,
  ...patch,
});

const IMAGE_TOOL = tool('call:1', 'pixel', {
  output: [
    { type: 'text', text: 'a pixel' },
    { type: 'image', data: PNG },
  ],
});

const says = (content: ViewAssistantMessage['content'], model?: string): ViewAssistantMessage => ({
  role: 'assistant',
  content,
  model,
});

async function sentByChat(
  messages: ViewMessage[],
  options: { model?: string; info?: ModelInfo; strictRoles?: boolean } = {},
) {
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const driver = await createModelDriver({
    kind: 'openai-compatible',
    provider: 'mine',
    model: 'served-model',
    baseUrl: server.url,
    info: MODEL_INFO,
    ...tested,
    ...options,
  });
  await collect(driver, requestOf(messages, { system: 'Be terse.' }));
  return JSON.parse(server.requests[0] ?? '');
}

async function sentBy(kind: 'anthropic' | 'openai' | 'google', model: string, messages: ViewMessage[]) {
  const harness = await openAimock({ kind, model, path: kind === 'google' ? '/v1beta' : '/v1', ...tested });
  onTestFinished(() => harness[Symbol.asyncDispose]());
  harness.answer({ kind: 'text', text: 'ok' });
  await collect(await harness.driver(), requestOf(messages, { system: 'Be terse.' }));
  return JSON.parse(harness.requests[0] ?? '');
}

test('chat: sends parallel calls in one assistant message, and their media in one user message after all results', async () => {
  const body = await sentByChat([
    userSays('Look.'),
    says([{ type: 'text', text: 'Looking.' }, IMAGE_TOOL, tool('call:2', 'gone', { isError: true })]),
    userSays('And?'),
  ]);
  expect(body.stream_options).toEqual({ include_usage: true });
  expect(body.messages).toEqual([
    { role: 'system', content: 'Be terse.' },
    { role: 'user', content: 'Look.' },
    {
      role: 'assistant',
      content: 'Looking.',
      tool_calls: [
        { id: 'call:1', type: 'function', function: { name: 'read', arguments: '{"path":"pixel"}' } },
        { id: 'call:2', type: 'function', function: { name: 'read', arguments: '{"path":"gone"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call:1', content: 'a pixel\n[The file follows in the next message.]' },
    { role: 'tool', tool_call_id: 'call:2', content: 'Error: gone' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Output of the tool read:' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        { type: 'text', text: 'And?' },
      ],
    },
  ]);
});

test('chat: joins adjacent user messages, because templates require alternating roles', async () => {
  const body = await sentByChat([userSays('One.'), says([{ type: 'text', text: ' ' }]), userSays('Two.')]);
  expect(body.messages.slice(1)).toEqual([{ role: 'user', content: 'One.\n\nTwo.' }]);
});

test('chat: strict roles remove the system message, alternate, and put an assistant message after a result', async () => {
  const summary = says([{ type: 'text', text: 'Summary.' }]);
  const messages = [
    userSays('Look.'),
    summary,
    summary,
    userSays('Go.'),
    says([IMAGE_TOOL]),
    userSays('And?'),
  ];
  const { messages: sent } = await sentByChat(messages, { strictRoles: true });
  const roles = sent.map((message: { role: string }) => message.role);
  expect(roles.slice(0, 5)).toEqual(['user', 'assistant', 'user', 'assistant', 'tool']);
  expect(roles.slice(5)).toEqual(['assistant', 'user', 'assistant', 'user']);
  expect(sent[0].content).toBe('Be terse.\n\nLook.');
  expect(JSON.stringify(sent[6])).toContain(PNG);
  expect(sent.at(-1).content).toBe('And?');
});

test('chat: strict roles alternate across empty messages that are left out', async () => {
  const thought = says([{ type: 'reasoning', text: 'Hm.' }]);
  const answer = says([{ type: 'text', text: 'Yes.' }]);
  const messages = [userSays('A?'), thought, userSays('B?'), answer, userSays(' '), answer];
  const { messages: sent } = await sentByChat(messages, { strictRoles: true });
  expect(sent).toEqual([
    { role: 'user', content: 'Be terse.\n\nA?\n\nB?' },
    { role: 'assistant', content: 'Yes.\n\nYes.' },
  ]);
});

test('chat: replaces media that the model does not accept by a line of text', async () => {
  const info = { ...MODEL_INFO, accepts: { images: false, files: false } };
  const image = { type: 'image' as const, data: PNG };
  const body = await sentByChat([{ role: 'user', content: [image] }, says([IMAGE_TOOL])], { info });
  expect(JSON.stringify(body)).not.toContain(PNG);
  expect(body.messages.at(-1).content).toContain('does not accept it');
});

test('chat: sends a text file as its text', async () => {
  const data = Buffer.from('grüezi').toString('base64');
  const file = { type: 'file' as const, data, mediaType: 'text/plain', filename: 'a.txt' };
  const body = await sentByChat([{ role: 'user', content: [file] }]);
  expect(body.messages.at(-1)).toEqual({ role: 'user', content: 'a.txt:\ngrüezi' });
});

test.each([
  ['chat', (messages: ViewMessage[]) => sentByChat(messages)],
  ['anthropic', (messages: ViewMessage[]) => sentBy('anthropic', 'claude-sonnet-4-5', messages)],
  ['openai', (messages: ViewMessage[]) => sentBy('openai', 'gpt-5.1', messages)],
  ['google', (messages: ViewMessage[]) => sentBy('google', 'gemini-3-pro-preview', messages)],
])('%s: fits what the model and tools produced to what servers accept', async (_name, sent) => {
  const body = await sent([
    userSays('Go \ud83d.'),
    says([
      { type: 'text', text: 'Half \udc00.' },
      tool('a', '\ud83d', { name: 'functions.bash' }),
      tool('b', 'b', { name: 'bash<|channel|>commentary', input: [1, { 'k\ud83d': 'v\ud83d' }] }),
      tool('c', 'c', { name: 'n'.repeat(70), input: 'text' }),
    ]),
  ]);
  const text = JSON.stringify(body);
  // JSON writes a lone surrogate as an escape.
  expect(text).not.toMatch(/\\ud[89a-f][0-9a-f]{2}/i);
  const names = [...text.matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set(['functions_bash', 'bash_channel_commentary', 'n'.repeat(64)]));
  for (const input of inputsIn(body)) expect(Object.prototype.toString.call(input)).toBe('[object Object]');
  expect(inputsIn(body)).toContainEqual({ arguments: 'text' });
});

/** The arguments of all calls in a request of any wire form. */
function inputsIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if (key === 'arguments' && typeof item === 'string' && /^[{[]/.test(item)) return [JSON.parse(item)];
    if (key === 'input' && !Array.isArray(item)) return [item];
    return key === 'args' ? [item] : inputsIn(item);
  });
}

test('chat: sends Mistral models call ids of nine letters or digits, the same for call and result', async () => {
  const body = await sentByChat([userSays('Go.'), says([tool('call:1', 'a'), tool('abcDEF123', 'b')])], {
    model: 'devstral-small',
  });
  const [first, second] = body.messages[2].tool_calls;
  expect(first.id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(second.id).toBe('abcDEF123');
  expect(body.messages[3].tool_call_id).toBe(first.id);
});

test('anthropic: sets cache breakpoints at the system text and at the ends of the last and of this request', async () => {
  const body = await sentBy('anthropic', 'claude-sonnet-4-5', [
    userSays('Go.'),
    says([tool('a', '1')]),
    says([tool('b', '2')]),
  ]);
  const cached = { cache_control: { type: 'ephemeral' } };
  expect(body.system).toMatchObject([{ text: 'Be terse.', ...cached }]);
  const marked = body.messages.map(
    (message: { content: object[] }) => 'cache_control' in (message.content.at(-1) ?? {}),
  );
  expect(marked).toEqual([false, false, true, false, true]);
});

test('anthropic: cleans ids of call and result alike, puts images into the result, and flags errors', async () => {
  const body = await sentBy('anthropic', 'claude-sonnet-4-5', [
    userSays('Go.'),
    says([IMAGE_TOOL, tool('b', 'gone', { isError: true })]),
  ]);
  const [, assistant, results] = body.messages;
  expect(assistant.content[0].id).toMatch(/^[a-zA-Z0-9_-]+$/);
  expect(results.content).toMatchObject([
    {
      type: 'tool_result',
      tool_use_id: assistant.content[0].id,
      content: [
        { type: 'text', text: 'a pixel' },
        { type: 'image', source: { media_type: 'image/png', data: PNG } },
      ],
    },
    { type: 'tool_result', tool_use_id: 'b', content: 'gone', is_error: true },
  ]);
});

test('anthropic: sends signed reasoning back only to the model that wrote it', async () => {
  const thought = {
    type: 'reasoning' as const,
    text: 'hm',
    providerMetadata: { anthropic: { signature: 'sig' } },
  };
  const answer = (model: string) => [userSays('1'), says([thought, tool('a', '1')], model)];
  const own = await sentBy('anthropic', 'claude-sonnet-4-5', answer('anthropic/claude-sonnet-4-5'));
  expect(own.messages[1].content[0]).toMatchObject({ type: 'thinking', thinking: 'hm', signature: 'sig' });
  const other = await sentBy('anthropic', 'claude-sonnet-4-5', answer('anthropic/claude-opus-4-1'));
  expect(JSON.stringify(other)).not.toContain('sig');
});

test('openai: stores nothing, and requests and returns reasoning in encrypted form', async () => {
  const thought = {
    type: 'reasoning' as const,
    text: '',
    providerMetadata: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'secret-thought' } },
  };
  const body = await sentBy('openai', 'gpt-5.1', [
    userSays('1'),
    says([thought, IMAGE_TOOL], 'openai/gpt-5.1'),
  ]);
  expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  expect(body.input).toContainEqual(
    expect.objectContaining({ type: 'reasoning', encrypted_content: 'secret-thought' }),
  );
  expect(body.input.at(-1)).toMatchObject({
    type: 'function_call_output',
    output: [{ type: 'input_text', text: 'a pixel' }, { type: 'input_image' }],
  });
});

test('google: sends a thought signature back with its call, and an image in the function response', async () => {
  const call = { ...IMAGE_TOOL, providerMetadata: { google: { thoughtSignature: 'c2ln' } } };
  const body = await sentBy('google', 'gemini-3-pro-preview', [
    userSays('1'),
    says([call], 'google/gemini-3-pro-preview'),
  ]);
  expect(body.contents[1].parts[0]).toMatchObject({
    thoughtSignature: 'c2ln',
    functionCall: { name: 'read' },
  });
  expect(JSON.stringify(body.contents[2])).toContain(PNG);
});

test("anthropic: keeps a thought's signature from the stream for the next request", async () => {
  const harness = await openAimock({ kind: 'anthropic', model: 'claude-sonnet-4-5', path: '/v1', ...tested });
  onTestFinished(() => harness[Symbol.asyncDispose]());
  harness.answer({ kind: 'text', text: 'ok', reasoning: { text: 'hm', signature: 'sig-1' } });
  const events = await collect(await harness.driver(), requestOf([userSays('Hi')]));
  expect(events).toContainEqual({
    type: 'reasoning-end',
    id: 'reasoning-1',
    providerMetadata: { anthropic: { signature: 'sig-1' } },
  });
});

describe('the place that a refusal names', () => {
  const messages: ViewMessage[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look here.' },
        { type: 'image', data: PNG },
      ],
    },
    says([{ type: 'text', text: 'Looking.' }, tool('call:7', 'gone \ud83d', { input: { path: 'odd' } })]),
    userSays('And then?'),
  ];

  /** Finds the value in the body, and returns its place as the provider would write it. */
  function placeOf(body: unknown, wanted: string, style: 'dots' | 'brackets', path = ''): string | undefined {
    if (typeof body === 'string') return body.includes(wanted) ? path : undefined;
    if (typeof body !== 'object' || body === null) return undefined;
    for (const [key, value] of Object.entries(body)) {
      const isBracketed = Array.isArray(body) && style === 'brackets';
      const place = isBracketed ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      const found = placeOf(value, wanted, style, place);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  test.each([
    ['chat', 'brackets', () => sentByChat(messages), 'any'],
    ['anthropic', 'dots', () => sentBy('anthropic', 'claude-sonnet-4-5', messages), 'word'],
    ['openai', 'brackets', () => sentBy('openai', 'gpt-5.1', messages), 'word'],
    ['google', 'brackets', () => sentBy('google', 'gemini-3-pro-preview', messages), 'word'],
  ] as const)('%s: is found in the view', async (_name, style, sent, callIds) => {
    const body = await sent();
    const found = (wanted: string) => {
      const path = placeOf(body, wanted, style) ?? '';
      expect(path).toMatch(/^(messages|contents|input)/);
      return findRefusedPart({ body: JSON.stringify(body), path, messages, callIds });
    };
    expect(found(PNG)).toEqual({ message: 0, part: 1, isMedia: true });
    expect(found('Look here.')).toEqual({ message: 0, part: 0, isMedia: false });
    expect(found('odd')).toEqual({ message: 1, part: 1, isMedia: false });
    expect(found('gone')).toEqual({ message: 1, part: 1, isMedia: false });
    expect(found('And then?')).toEqual({ message: 2, part: 0, isMedia: false });
  });

  test('is not found if the body has nothing there', () => {
    const of = (body: string, path: string) => findRefusedPart({ body, path, messages, callIds: 'any' });
    expect(of('{"messages":[]}', 'messages.7.content.1')).toBeUndefined();
    expect(of('{"messages":[{"role":"user","content":""}]}', 'messages.0')).toBeUndefined();
    expect(of('not JSON', 'messages.0')).toBeUndefined();
  });
});
