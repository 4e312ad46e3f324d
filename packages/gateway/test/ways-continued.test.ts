import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { startCountingServer } from './counting-server.ts';
import { rawRequest } from './raw-client.ts';
import { startRecordingUpstream } from './recording-upstream.ts';
import { startTestGateway, type TestGateway } from './start-test-gateway.ts';

const WINDOW = 2_048;

/** An answer as a client of a protocol sees it. */
interface Seen {
  text: string;
  end: unknown;
  /** Tokens of the answer. */
  tokens: number | undefined;
}

interface Asked {
  stream: boolean;
  maxTokens?: number;
  earlier?: string;
}

type Ask = (gateway: TestGateway, asked: Asked) => Promise<Seen>;

function messages(earlier: string | undefined) {
  const asked = { role: 'user' as const, content: 'Count.' };
  return earlier === undefined
    ? [asked]
    : [asked, { role: 'assistant' as const, content: earlier }, { role: 'user' as const, content: 'Go on.' }];
}

function openAi(gateway: TestGateway): OpenAI {
  return new OpenAI({ baseURL: gateway.url, apiKey: 'any', maxRetries: 0 });
}

async function askResponses(gateway: TestGateway, { stream, maxTokens, earlier }: Asked): Promise<Seen> {
  const { responses } = openAi(gateway);
  const request = { model: 'm', input: messages(earlier), max_output_tokens: maxTokens ?? null };
  let answer: OpenAI.Responses.Response | undefined;
  let text = '';
  if (stream) {
    const numbers: number[] = [];
    for await (const event of await responses.create({ ...request, stream: true })) {
      numbers.push(event.sequence_number);
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (event.type === 'response.output_text.done') expect(event.text).toBe(text);
      if ('response' in event) answer = event.response;
    }
    expect(numbers).toEqual(numbers.map((_, index) => index));
    const final = answer?.output.filter((item) => item.type === 'message') ?? [];
    expect(final.flatMap(({ content }) => content)).toMatchObject([{ type: 'output_text', text }]);
  } else {
    answer = await responses.create(request);
    text = answer.output_text;
  }
  const end = answer?.incomplete_details?.reason ?? answer?.status;
  return { text, end, tokens: answer?.usage?.output_tokens };
}

async function askMessages(gateway: TestGateway, { stream, maxTokens, earlier }: Asked): Promise<Seen> {
  const client = new Anthropic({ baseURL: gateway.url.replace(/\/v1$/, ''), apiKey: 'any', maxRetries: 0 });
  const request = { model: 'm', max_tokens: maxTokens ?? 100_000, messages: messages(earlier) };
  const answer = stream
    ? await client.messages.stream(request).finalMessage()
    : await client.messages.create({ ...request, stream: false }, { timeout: 60_000 });
  const texts = answer.content.filter(({ type }) => type === 'text');
  expect(texts).toHaveLength(1);
  const text = texts.map((block) => ('text' in block ? block.text : '')).join('');
  return { text, end: answer.stop_reason, tokens: answer.usage.output_tokens };
}

async function askOllama(gateway: TestGateway, { stream, maxTokens, earlier }: Asked): Promise<Seen> {
  const answer = await fetch(`${gateway.url.replace(/\/v1$/, '')}/api/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'm',
      stream,
      messages: messages(earlier),
      options: { num_ctx: WINDOW, num_predict: maxTokens },
    }),
  });
  const lines = (await answer.text()).trim().split('\n');
  const events = lines.map((line) => JSON.parse(line));
  expect(events.map(({ done }) => done)).toEqual(events.map((_, index) => index === events.length - 1));
  const { done_reason: end, eval_count: tokens } = events.at(-1);
  return { text: events.map(({ message }) => message.content).join(''), end, tokens };
}

async function askChat(gateway: TestGateway, { maxTokens, earlier }: Asked): Promise<Seen> {
  const request = { model: 'm', messages: messages(earlier), max_tokens: maxTokens ?? null };
  const { choices, usage } = await openAi(gateway).chat.completions.create(request);
  const [choice] = choices;
  return {
    text: choice?.message.content ?? '',
    end: choice?.finish_reason,
    tokens: usage?.completion_tokens,
  };
}

interface Way {
  name: string;
  path: string;
  ask: Ask;
  stream: boolean;
  /** How an answer ends by itself, and at its maximum length. */
  ends: [unknown, unknown];
}

const WAYS: Way[] = [
  ...[true, false].flatMap((stream): Way[] => [
    {
      name: 'responses',
      path: '/v1/responses',
      ask: askResponses,
      stream,
      ends: ['completed', 'max_output_tokens'],
    },
    { name: 'messages', path: '/v1/messages', ask: askMessages, stream, ends: ['end_turn', 'max_tokens'] },
    { name: 'ollama', path: '/api/chat', ask: askOllama, stream, ends: ['stop', 'length'] },
  ]),
  { name: 'chat', path: '/v1/chat/completions', ask: askChat, stream: false, ends: ['stop', 'length'] },
];

const numbersIn = (text: string) => [...text.matchAll(/n(\d+)\. /g)].map(([, digits]) => Number(digits));
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test.each(WAYS.flatMap((way) => [true, false].map((thinks) => ({ ...way, thinks }))))(
  'continues an answer that fills the window ($name, stream: $stream, thoughts: $thinks)',
  async ({ path, ask, stream, ends, thinks }) => {
    await using server = await startCountingServer({ windowTokens: WINDOW, last: 1_300, thinks });
    await using gateway = await startTestGateway(server.url, { notices: 'off' });
    const { text, end, tokens } = await ask(gateway, { stream });
    expect(numbersIn(text)).toEqual(upTo(1_300));
    expect(text).toBe(
      `${numbersIn(text)
        .map((number) => `n${number}`)
        .join('. ')}. `,
    );
    expect(end).toBe(ends[0]);
    expect(tokens).toBeGreaterThan(WINDOW);
    expect(server.sent(path).length).toBeGreaterThan(1);
    expect(gateway.status().models[0]?.restarts).toBe(server.sent(path).length - 1);
  },
);

test.each(WAYS)(
  'ends an answer that never ends after three restarts ($name, stream: $stream)',
  async ({ path, ask, stream, ends }) => {
    await using server = await startCountingServer({ windowTokens: WINDOW, last: Number.POSITIVE_INFINITY });
    await using gateway = await startTestGateway(server.url);
    const { text, end, tokens } = await ask(gateway, { stream });
    expect(end).toBe(ends[1]);
    expect(server.sent(path)).toHaveLength(4);
    const numbers = numbersIn(text);
    expect(numbers).toEqual(upTo(numbers.length));
    expect(tokens).toBeGreaterThan(WINDOW);
    expect(gateway.status().errors[0]?.code).toBe('context_exhausted');
    const notice = /⚠️ Context limit exceeded \((\d+)\/2048 tokens\)\. Aborting\./.exec(text);
    expect(notice !== null).toBe(stream);
    if (notice === null) return;
    expect(Number(notice[1])).toBeGreaterThan(WINDOW * 0.8);
    expect(Number(notice[1])).toBeLessThanOrEqual(WINDOW);
  },
);

test.each(WAYS)(
  'keeps the end of an answer that the client has limited ($name, stream: $stream)',
  async ({ name, path, ask, stream, ends }) => {
    if (name === 'ollama') return;
    await using server = await startCountingServer({ windowTokens: WINDOW, last: 5_000 });
    await using gateway = await startTestGateway(server.url);
    const { text, end } = await ask(gateway, { stream, maxTokens: 400 });
    expect([numbersIn(text).length, end]).toEqual([200, ends[1]]);
    expect(server.sent(path)).toHaveLength(1);
  },
);

const NOTICE =
  '\n\n⚙️ Compacting conversation history…\n\n✅ Context compacted, continuing… (kept 2 messages, summary by the model)\n\n';

test.each(WAYS.filter(({ stream, name }) => stream || name === 'chat'))(
  'removes notices from the answers in a request ($name)',
  async ({ path, ask, stream }) => {
    await using server = await startCountingServer({ windowTokens: WINDOW, last: 5 });
    await using gateway = await startTestGateway(server.url);
    await ask(gateway, { stream, earlier: `One.${NOTICE}Two.` });
    const [sent] = server.sent(path);
    expect(JSON.stringify(sent)).toContain('One.Two.');
    expect(JSON.stringify(sent)).not.toContain('Context compacted');
  },
);

test('passes the bytes of a stream on in the same chunks, also if a chunk has a part of an event', async () => {
  await using server = await startCountingServer({ windowTokens: WINDOW, last: 20 });
  await using gateway = await startTestGateway(server.url);
  const body = '{"model":"m","stream":true,"max_tokens":100,"messages":[{"role":"user","content":"Count."}]}';
  const direct = await rawRequest(server.url, { path: '/messages', body });
  const through = await rawRequest(gateway.url, { path: '/messages', body });
  expect(String(through.body)).toBe(String(direct.body));
});

const SSE = { 'content-type': 'text/event-stream' };
const FULL = { type: 'error', error: { type: 'api_error', message: 'Context size has been exceeded.' } };
const REFUSAL = {
  type: 'error',
  error: {
    type: 'invalid_request_error',
    message: 'request (9000 tokens) exceeds the available context size (2048 tokens)',
  },
};
const long = Array.from(
  { length: 60 },
  (_, index): Anthropic.MessageParam => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${index}: ${'rivers flow to the sea, '.repeat(5)}`,
  }),
);

test.each([
  ['before the first word', REFUSAL, 'Yes.'],
  ['after some words', FULL, 'One, Yes.'],
])('sends a message again or continues it if its window is full %s', async (_, error, expected) => {
  const event = (json: Record<string, unknown>) =>
    `event: ${json['type']}\ndata: ${JSON.stringify(json)}\n\n`;
  const usage = { input_tokens: 300, output_tokens: 1 };
  const head = { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], usage };
  const start = event({ type: 'message_start', message: head });
  const text = (piece: string) =>
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } });
  const end =
    event({ type: 'content_block_stop', index: 0 }) +
    event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }) +
    event({ type: 'message_stop' });
  let asked = 0;
  await using server = await startRecordingUpstream(
    ({ url }, response) => {
      if (url.endsWith('/chat/completions')) return void response.writeHead(404).end('{}');
      asked += 1;
      response.writeHead(200, SSE);
      if (asked > 1) return void response.end(start + text('Yes.') + end);
      response.end(start + (error === FULL ? text('One, ') : '') + event(error));
    },
    { '/props': { default_generation_settings: { n_ctx: 8_192 } } },
  );
  await using gateway = await startTestGateway(server.url, { compactionModel: 'none', notices: 'off' });
  const client = new Anthropic({ baseURL: gateway.url.replace(/\/v1$/, ''), apiKey: 'any', maxRetries: 0 });
  const stream = client.messages.stream({
    model: 'm',
    max_tokens: 100,
    messages: [...long, { role: 'user', content: 'Well?' }],
  });
  expect((await stream.finalMessage()).content).toMatchObject([{ type: 'text', text: expected }]);
  expect(asked).toBe(2);
});
