import type { ServerResponse } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { rawRequest } from './raw-client.ts';
import { type Received, startRecordingUpstream } from './recording-upstream.ts';
import { startTestGateway } from './start-test-gateway.ts';

const WINDOW = 4_096;
const TOO_LONG =
  '{"error":{"code":400,"message":"request (9019 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9019,"n_ctx":4096}}';
const SUMMARY = JSON.stringify({ keep: [], condense: [], summary: 'They read files about rivers.' });

/** A server that refuses a body which is too long, as llama.cpp does, and answers in the protocol of its path. */
async function startServer({ reportsWindow = true } = {}) {
  const answer = (request: Received, response: ServerResponse) => {
    const { url, body } = request;
    const asked = JSON.parse(String(body));
    if (url.endsWith('/chat/completions')) return void sendSummary(response);
    if (!/\/v1\/(?:responses|messages)$/.test(url)) return void response.writeHead(404).end('{}');
    if (body.length > WINDOW * 4)
      return void response.writeHead(400, { 'content-type': 'application/json' }).end(TOO_LONG);
    const [whole, events] = url.endsWith('/responses') ? RESPONSE : MESSAGE;
    response.writeHead(200, { 'content-type': asked.stream ? 'text/event-stream' : 'application/json' });
    response.end(asked.stream ? eventsText(events) : JSON.stringify(whole));
  };
  const props = { '/props': { default_generation_settings: { n_ctx: WINDOW } } };
  const server = await startRecordingUpstream(answer, reportsWindow ? props : {});
  const sent = (path: string) =>
    server.received.filter(({ url }) => url.endsWith(path)).map(({ body }) => JSON.parse(String(body)));
  return { ...server, sent };
}

function sendSummary(response: ServerResponse): void {
  const choice = { index: 0, delta: { content: SUMMARY }, finish_reason: 'stop' };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
}

function eventsText(events: readonly { type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

const RESPONSE = responseAnswer();
const MESSAGE = messageAnswer();

function responseAnswer() {
  const part = { type: 'output_text', text: 'Yes.', annotations: [], logprobs: [] };
  const item = { type: 'message', id: 'm1', role: 'assistant', status: 'completed', content: [part] };
  const usage = { input_tokens: 900, output_tokens: 2, total_tokens: 902 };
  const whole = { id: 'r1', object: 'response', status: 'completed', model: 'm', output: [item], usage };
  const place = { item_id: 'm1', output_index: 0, content_index: 0 };
  const events = [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...place, delta: 'Yes.' },
    { type: 'response.output_text.done', ...place, text: 'Yes.' },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ].map((event, index) => ({ ...event, sequence_number: index }));
  return [whole, events] as const;
}

function messageAnswer() {
  const content = [{ type: 'text', text: 'Yes.' }];
  const usage = { input_tokens: 900, output_tokens: 2 };
  const whole = {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: 'end_turn',
    usage,
  };
  const events = [
    { type: 'message_start', message: { ...whole, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Yes.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];
  return [whole, events] as const;
}

const RIVERS = 'rivers flow to the sea, '.repeat(12);

/** A task with steps that each read a file, as agents send it to the Responses API. */
function responseItems(steps: number): OpenAI.Responses.ResponseInputItem[] {
  const all = Array.from({ length: steps }, (_, step) => [
    { type: 'reasoning' as const, id: `rs${step}`, summary: [], encrypted_content: 'secret' },
    {
      type: 'function_call' as const,
      call_id: `c${step}`,
      name: 'read',
      arguments: `{"path":"f${step}.md"}`,
    },
    { type: 'function_call_output' as const, call_id: `c${step}`, output: `File ${step}: ${RIVERS}` },
  ]);
  return [
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'Read all files about rivers.' }],
    },
    ...all.flat(),
    { role: 'user', content: 'And now?' },
  ];
}

const TOOL = { type: 'function' as const, name: 'read', parameters: { type: 'object' }, strict: false };

function openAi(url: string): OpenAI {
  return new OpenAI({ baseURL: url, apiKey: 'any', maxRetries: 0 });
}

test.each([
  { stream: false, reportsWindow: true },
  { stream: true, reportsWindow: true },
  { stream: true, reportsWindow: false },
])('compacts requests to /v1/responses ($stream, $reportsWindow)', async ({ stream, reportsWindow }) => {
  const server = await startServer({ reportsWindow });
  await using gateway = await startTestGateway(server.url);
  const input = responseItems(60);
  const request = { model: 'm', instructions: 'Be brief.', input, tools: [TOOL], store: false };
  const { responses } = openAi(gateway.url);
  let text = '';
  if (stream) {
    for await (const event of await responses.create({ ...request, stream: true }))
      if (event.type === 'response.output_text.delta') text += event.delta;
  } else text = (await responses.create(request)).output_text;
  expect(text).toBe('Yes.');
  const sent = server.sent('/responses');
  expect(sent).toHaveLength(reportsWindow ? 1 : 2);
  const last = sent.at(-1);
  expect(last).toMatchObject({ instructions: 'Be brief.', tools: [TOOL], store: false });
  const items: OpenAI.Responses.ResponseInputItem[] = last.input;
  expect(items[0]).toEqual(input[0]);
  expect(items.at(-1)).toEqual(input.at(-1));
  expect(JSON.stringify(items)).toContain('They read files about rivers.');
  // Kept steps are whole: reasoning, call and output, as received.
  const calls = items.filter((item) => item.type === 'function_call').map(({ call_id }) => call_id);
  const outputs = items.flatMap((item) => (item.type === 'function_call_output' ? [item.call_id] : []));
  expect(calls.length).toBeGreaterThan(5);
  expect(outputs).toEqual(calls);
  for (const item of items.slice(-10)) expect(input).toContainEqual(item);
  expect(gateway.status().models[0]).toMatchObject({ windowTokens: WINDOW, compactions: 1 });
  await server[Symbol.asyncDispose]();
});

/** The same task as agents send it to the Messages API. */
function anthropicMessages(steps: number): Anthropic.MessageParam[] {
  const all = Array.from({ length: steps }, (_, step): Anthropic.MessageParam[] => [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: `Step ${step}.` },
        { type: 'tool_use', id: `c${step}`, name: 'read', input: { path: `f${step}.md` } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: `c${step}`,
          content: [{ type: 'text', text: `File ${step}: ${RIVERS}` }],
        },
        ...(step === steps - 1 ? [{ type: 'text' as const, text: 'And now?' }] : []),
      ],
    },
  ]);
  return [{ role: 'user', content: 'Read all files about rivers.' }, ...all.flat()];
}

test.each([
  { stream: false, reportsWindow: true },
  { stream: true, reportsWindow: true },
  { stream: false, reportsWindow: false },
])('compacts requests to /v1/messages ($stream, $reportsWindow)', async ({ stream, reportsWindow }) => {
  const server = await startServer({ reportsWindow });
  await using gateway = await startTestGateway(server.url);
  const messages = anthropicMessages(60);
  const system = [
    { type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const } },
  ];
  const request = { model: 'm', max_tokens: 500, system, messages };
  const client = new Anthropic({ baseURL: gateway.url.replace(/\/v1$/, ''), apiKey: 'any', maxRetries: 0 });
  const answer = stream
    ? await client.messages.stream(request).finalMessage()
    : await client.messages.create(request);
  expect(answer.content).toMatchObject([{ type: 'text', text: 'Yes.' }]);
  const sent = server.sent('/messages');
  expect(sent).toHaveLength(reportsWindow ? 1 : 2);
  const last = sent.at(-1);
  expect(last).toMatchObject({ system, max_tokens: 500 });
  const shown: Anthropic.MessageParam[] = last.messages;
  expect(shown[0]).toEqual(messages[0]);
  expect(shown.at(-1)).toEqual(messages.at(-1));
  expect(JSON.stringify(shown)).toContain('They read files about rivers.');
  const roles = shown.map(({ role }) => role);
  expect(roles).toEqual(roles.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')));
  for (const message of shown.slice(-6)) expect(messages).toContainEqual(message);
  expect(gateway.status().models[0]).toMatchObject({ windowTokens: WINDOW, compactions: 1 });
  await server[Symbol.asyncDispose]();
});

test.each([
  ['/responses', ' {"model":"m", "input":"Hi", "big":12345678901234567890, "stream":true} '],
  ['/messages', ' {"model":"m","max_tokens":5,"messages":[{"role":"user","content":"Hi"}]} '],
])('passes a request to %s that fits byte for byte', async (path, body) => {
  const server = await startServer();
  await using gateway = await startTestGateway(server.url);
  await rawRequest(gateway.url, { path, body });
  const sent = server.received.filter(({ url }) => url === `/v1${path}`);
  expect(sent.map(({ body: bytes }) => String(bytes))).toEqual([body]);
  await server[Symbol.asyncDispose]();
});

test('answers errors in the form of the protocol', async () => {
  const server = await startServer();
  await using gateway = await startTestGateway(server.url, { compactionModel: 'none' });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hi' }];
  const system = RIVERS.repeat(200);
  const client = new Anthropic({ baseURL: gateway.url.replace(/\/v1$/, ''), apiKey: 'any', maxRetries: 0 });
  const asking = client.messages.create({ model: 'm', max_tokens: 50, system, messages });
  const error = await asking.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Anthropic.BadRequestError);
  await server[Symbol.asyncDispose]();
});

test('names requests that it cannot compact once, in the log and in the status', async () => {
  const server = await startServer();
  await using gateway = await startTestGateway(server.url);
  const { responses } = openAi(gateway.url);
  for (let turn = 0; turn < 2; turn += 1)
    await responses.create({ model: 'm', input: 'Hi', previous_response_id: 'r0' });
  await rawRequest(gateway.url, { path: '/completions', body: '{"model":"m","prompt":"Hi"}' });
  expect(gateway.status().unhelped).toEqual([
    expect.stringContaining('/v1/responses: the server keeps the conversation (previous_response_id)'),
    expect.stringContaining('/v1/completions: '),
  ]);
  expect(gateway.logged.filter(({ message }) => message.includes('never compacted'))).toHaveLength(2);
  expect(server.sent('/responses')[0]).toEqual({ model: 'm', input: 'Hi', previous_response_id: 'r0' });
  await server[Symbol.asyncDispose]();
});

/** Ollama, which loads the model with the window of the request, and drops the beginning of a longer prompt. */
async function startOllama() {
  const server = await startRecordingUpstream((request, response) => {
    const asked = JSON.parse(String(request.body || '{}'));
    if (request.url.endsWith('/chat/completions')) return void sendSummary(response);
    if (request.url !== '/api/chat') return void response.end(JSON.stringify({ url: request.url }));
    const tokens = Math.min(Math.ceil(request.body.length / 4), asked.options?.num_ctx ?? WINDOW);
    const end = { model: 'm', done: true, done_reason: 'stop', prompt_eval_count: tokens, eval_count: 2 };
    const message = { role: 'assistant', content: 'Yes.' };
    if (asked.stream === false) return void response.end(JSON.stringify({ ...end, message }));
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(`${JSON.stringify({ model: 'm', message, done: false })}\n`);
    response.end(`${JSON.stringify({ ...end, message: { role: 'assistant', content: '' } })}\n`);
  });
  const sent = () =>
    server.received.filter(({ url }) => url === '/api/chat').map(({ body }) => JSON.parse(String(body)));
  return { ...server, sent };
}

type OllamaMessage = Record<string, unknown>;

function ollamaMessages(steps: number): OllamaMessage[] {
  const all = Array.from({ length: steps }, (_, step) => [
    {
      role: 'assistant',
      content: '',
      thinking: 'Hm.',
      tool_calls: [{ function: { name: 'read', arguments: { path: `f${step}.md` } } }],
    },
    { role: 'tool', tool_name: 'read', content: `File ${step}: ${RIVERS}` },
  ]);
  return [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Read all files about rivers.' },
    ...all.flat(),
    { role: 'user', content: 'And now?' },
  ];
}

test.each([undefined, false])('compacts requests to /api/chat of Ollama (stream: %s)', async (stream) => {
  const server = await startOllama();
  await using gateway = await startTestGateway(server.url);
  const messages = ollamaMessages(60);
  const root = gateway.url.replace(/\/v1$/, '');
  const ask = (path: string, body: object) =>
    fetch(root + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((answer) => answer.text());
  const text = await ask('/api/chat', { model: 'm', messages, stream, options: { num_ctx: WINDOW } });
  const lines = text.trim().split('\n');
  expect(lines).toHaveLength(stream === false ? 1 : 2);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: { content: 'Yes.' } });
  const [sent, ...others] = server.sent();
  expect(others).toEqual([]);
  expect(sent.options).toEqual({ num_ctx: WINDOW });
  const shown: OllamaMessage[] = sent.messages;
  expect(shown.slice(0, 2)).toEqual(messages.slice(0, 2));
  expect(JSON.stringify(shown)).toContain('They read files about rivers.');
  for (const message of shown.slice(-9)) expect(messages).toContainEqual(message);
  // Each call is followed by its result.
  for (const [index, { tool_calls }] of shown.entries())
    if (tool_calls !== undefined) expect(shown[index + 1]).toMatchObject({ role: 'tool' });
  // With a larger window, the same chat fits.
  await ask('/api/chat', { model: 'm', messages, options: { num_ctx: 65_536 } });
  expect(server.sent().at(-1)?.messages).toEqual(messages);
  expect(JSON.parse(await ask('/api/show', { model: 'm' }))).toEqual({ url: '/api/show' });
  expect(JSON.parse(await ask('/api/pull', { model: 'm' }))).toEqual({
    error: expect.stringContaining('There is no POST /api/pull here.'),
  });
  await server[Symbol.asyncDispose]();
});
