import type { ServerResponse } from 'node:http';
import { createPersonaServer, type Script } from '@longhaul/scripted-model';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import type { NoticeManner } from '../src/index.ts';
import { rawRequest } from './raw-client.ts';
import { type Received, startRecordingUpstream } from './recording-upstream.ts';
import { before, startTestGateway } from './start-test-gateway.ts';

const SUMMARY = 'Rivers were spoken of.';
const brief: Script = ({ asksForSummary }) => (asksForSummary ? SUMMARY : 'Yes.');

type Message = { role: 'user' | 'assistant'; content: string };

/** Some 30 tokens a message. */
function history(count: number): Message[] {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${index} of a long talk: ${'rivers flow to the sea, '.repeat(4)}and so on.`,
  }));
}

function clientOf(url: string): OpenAI {
  return new OpenAI({ baseURL: url, apiKey: 'any', maxRetries: 0 });
}

async function collect(stream: AsyncIterable<OpenAI.ChatCompletionChunk>, onChunk?: (count: number) => void) {
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    onChunk?.(chunks.length);
  }
  const deltas = chunks.flatMap(({ choices }) => choices);
  return {
    chunks,
    text: deltas.map(({ delta }) => delta.content ?? '').join(''),
    reasoning: deltas
      .map(({ delta }) => ('reasoning_content' in delta ? String(delta.reasoning_content) : ''))
      .join(''),
    ids: new Set(chunks.map(({ id }) => id)),
    roles: deltas.filter(({ delta }) => delta.role !== undefined).length,
    finishes: deltas.flatMap(({ finish_reason }) => finish_reason ?? []),
    usage: chunks.flatMap(({ usage }) => usage ?? []),
  };
}

test.each([
  ['lmstudio', 'event', true],
  ['lmstudio', 'error', false],
  ['llamacpp', 'error', true],
  ['vllm', 'error', false],
] as const)(
  '%s refuses (%s) a window nobody knew: it is learned, and the client gets its answer',
  async (persona, manner, stream) => {
    await using server = await createPersonaServer({
      persona,
      manner,
      windowTokens: 2_048,
      script: brief,
      reportsWindow: false,
    });
    await using gateway = await startTestGateway(server.url, { notices: 'off' });
    const request = { model: server.model, messages: history(120) };
    const completions = clientOf(gateway.url).chat.completions;
    const text = stream
      ? (await collect(await completions.create({ ...request, stream }))).text
      : (await completions.create(request)).choices[0]?.message.content;
    expect(text).toBe('Yes.');
    expect(server.overflows).toBe(1);
    expect(gateway.status().models[0]).toMatchObject({
      windowTokens: 2_048,
      windowSource: 'an overflow error',
      overflows: 1,
      compactions: 1,
    });
    expect(
      gateway.logged.some(
        ({ code, message }) => code === 'window_unknown' && message.includes('providers.local.models.'),
      ),
    ).toBe(true);
  },
);

test('a refusal behind the first chunk is no answer either: the client sees one stream', async () => {
  let asked = 0;
  const chunk = (id: string, delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const refusal = 'data: {"error":"Cannot truncate prompt with n_keep (9000) >= n_ctx (2048)"}\n\n';
  await using upstream = await startRecordingUpstream((_, response) => {
    asked += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const head = chunk(`id-${asked}`, { role: 'assistant', content: '' });
    response.end(
      asked === 1 ? head + refusal : `${head}${chunk('id-2', { content: 'Yes.' }, 'stop')}data: [DONE]\n\n`,
    );
  });
  await using gateway = await startTestGateway(upstream.url, { compactionModel: 'none', notices: 'off' });
  const request = { model: 'm', messages: history(120), stream: true } as const;
  const seen = await collect(await clientOf(gateway.url).chat.completions.create(request));
  expect([asked, seen.text, seen.ids.size, seen.roles, seen.finishes]).toEqual([2, 'Yes.', 1, 1, ['stop']]);
});

test('a refusal that comes as a good answer is one all the same', async () => {
  await using upstream = await startRecordingUpstream((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const isLong = request.body.length > 8_000;
    response.end(
      isLong
        ? '{"error":"Trying to keep the first 4000 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens"}'
        : '{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}',
    );
  });
  await using gateway = await startTestGateway(upstream.url, { compactionModel: 'none' });
  const answer = await clientOf(gateway.url).chat.completions.create({ model: 'm', messages: history(120) });
  expect(answer.choices[0]?.message.content).toBe('Yes.');
  expect(gateway.status().models[0]).toMatchObject({ windowTokens: 2_048, overflows: 1 });
});

test('a refusal that smaller messages do not cure is passed on whole', async () => {
  const refusal =
    'event: error\ndata: {"error":"Cannot truncate prompt with n_keep (9000) >= n_ctx (2048)"}\n\ndata: [DONE]\n\n';
  await using upstream = await startRecordingUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(refusal);
  });
  await using gateway = await startTestGateway(upstream.url, { compactionModel: 'none', notices: 'off' });
  const body = JSON.stringify({ model: 'm', messages: history(120), stream: true });
  expect((await rawRequest(gateway.url, { body })).body.toString()).toBe(refusal);
  expect(upstream.received).toHaveLength(2);
});

test('room for the answer that no compaction makes is refused in the server’s own words', async () => {
  await using server = await createPersonaServer({ persona: 'vllm', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url);
  const request = {
    model: server.model,
    messages: [{ role: 'user' as const, content: 'Hi' }],
    max_tokens: 5_000,
  };
  const asking = clientOf(gateway.url).chat.completions.create(request);
  await expect(asking).rejects.toThrow(/maximum context length is 2048 tokens/);
});

test('the key that the client brings for the server is the one its compaction is asked with, and no other server gets it', async () => {
  await using server = await createPersonaServer({ persona: 'vllm', windowTokens: 2_048, script: brief });
  const keys: (string | undefined)[] = [];
  const answer = (request: Received, response: ServerResponse) => {
    keys.push(/authorization[, ]+(.*)$/i.exec(request.rawHeaders.join(', '))?.[1]?.split(',')[0]);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      '{"choices":[{"index":0,"message":{"role":"assistant","content":"Rivers."},"finish_reason":"stop"}]}',
    );
  };
  const reports = { '/props': { default_generation_settings: { n_ctx: 2_048 } } };
  await using one = await startRecordingUpstream(answer, reports);
  for (const compactionModel of ['__same__', 'other/x']) {
    await using gateway = await startTestGateway('', {
      compactionModel,
      upstreams: [
        { name: 'one', baseUrl: one.url },
        { name: 'other', baseUrl: compactionModel === '__same__' ? server.url : one.url },
      ],
    });
    const client = new OpenAI({ baseURL: gateway.url, apiKey: 'my-key', maxRetries: 0 });
    await client.chat.completions.create({ model: 'one/m', messages: history(120) });
  }
  const own = 'Bearer my-key';
  expect(keys.slice(0, keys.indexOf(undefined))).toEqual(
    keys.slice(0, keys.indexOf(undefined)).map(() => own),
  );
  expect(keys.at(-1)).toBe(own);
  expect(keys.filter((key) => key !== own && key !== undefined)).toEqual([]);
  expect(keys).toContain(undefined);
});

test('llama.cpp is asked to count itself where it is close, and not before', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 8_192, script: brief });
  await using gateway = await startTestGateway(server.url, { learnUsage: false });
  const ask = (count: number) =>
    clientOf(gateway.url).chat.completions.create({ model: server.model, messages: history(count) });
  const tokenized = () => server.asked.filter((target) => target === 'POST /tokenize').length;
  await ask(3);
  expect(tokenized()).toBe(0);
  await using other = await startTestGateway(server.url);
  await clientOf(other.url).chat.completions.create({ model: server.model, messages: history(151) });
  expect(tokenized()).toBe(1);
});

test('a model loaded anew with less is noticed at the first refusal, and what it reports then holds', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 8_192, script: brief });
  await using gateway = await startTestGateway(server.url);
  const { completions } = clientOf(gateway.url).chat;
  const request = { model: server.model, messages: history(120) };
  await completions.create(request);
  server.reload(2_048);
  expect((await completions.create(request)).choices[0]?.message.content).toBe('Yes.');
  expect(server.overflows).toBe(1);
  expect(gateway.status().models[0]?.windowTokens).toBe(2_048);
});

test('the header counts compactions: a first request whose compaction was refused has two behind it', async () => {
  await using server = await createPersonaServer({
    persona: 'vllm',
    windowTokens: 2_048,
    script: brief,
    reportsWindow: false,
  });
  const models = { [server.model]: { windowTokens: 16_384 } };
  await using gateway = await startTestGateway('', {
    upstreams: [{ name: 'local', baseUrl: server.url, models }],
    compactionModel: 'none',
  });
  const { completions } = clientOf(gateway.url).chat;
  const compacted = async (messages: Message[]) => {
    const { response } = await completions.create({ model: server.model, messages }).withResponse();
    return response.headers.get('x-longhaul-compacted');
  };
  const messages = history(601);
  expect(await compacted(messages)).toBe('2');
  expect(gateway.status().models[0]).toMatchObject({ overflows: 1, compactions: 2 });
  const next: Message[] = [
    { role: 'assistant', content: 'Yes.' },
    { role: 'user', content: 'And?' },
  ];
  expect(await compacted([...messages, ...next])).toBe('2');
  expect(gateway.status().models[0]).toMatchObject({ overflows: 1, compactions: 2 });
});

test('a server that ends and is started anew with less is asked before the next request', async () => {
  const start = (windowTokens: number, port = 0) =>
    createPersonaServer({ persona: 'llamacpp', windowTokens, script: brief, port });
  const first = await start(8_192);
  await using gateway = await startTestGateway(first.url);
  const { completions } = clientOf(gateway.url).chat;
  const request = { model: first.model, messages: history(120) };
  await completions.create(request);
  await first.close();
  await expect(completions.create(request)).rejects.toThrow(/Cannot reach the upstream/);
  await using second = await start(2_048, Number(new URL(first.url).port));
  expect((await completions.create(request)).choices[0]?.message.content).toBe('Yes.');
  expect(second.overflows).toBe(0);
});

test('Ollama cuts silently: what it read gives it away, and the request is sent again, compacted', async () => {
  await using server = await createPersonaServer({
    persona: 'ollama',
    windowTokens: 2_048,
    script: brief,
    reportsWindow: false,
  });
  await using gateway = await startTestGateway(server.url);
  const request = { model: server.model, messages: history(150) };
  const { data, response } = await clientOf(gateway.url).chat.completions.create(request).withResponse();
  expect(data.choices[0]?.message.content).toBe('Yes.');
  expect(server.requests.at(-1)?.droppedTokens).toBeUndefined();
  expect(response.headers.get('x-longhaul-compacted')).toBe('1');
  expect(gateway.status().models[0]).toMatchObject({ windowTokens: 2_048, silentCuts: 1, compactions: 1 });
  // A stream has been read by then: its window is known for the next one.
  await collect(await clientOf(gateway.url).chat.completions.create({ ...request, stream: true }));
  expect(server.requests.at(-1)?.droppedTokens).toBeUndefined();
});

test('fewer tokens read than were sent are no cut while the window that the server reports has room', async () => {
  await using both = await before((_, response) => {
    response.setHeader('content-type', 'application/json');
    const message = { role: 'assistant', content: 'Yes.' };
    const usage = { prompt_tokens: 600, completion_tokens: 1, total_tokens: 601 };
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
  });
  const ask = async (words: number) => {
    const messages: Message[] = [{ role: 'user', content: 'river '.repeat(words) }];
    await clientOf(both.gateway.url).chat.completions.create({ model: 'm', messages });
    return both.gateway.status().models[0];
  };
  expect(await ask(2_000)).toMatchObject({ windowTokens: 4_096, silentCuts: 0 });
  // One that nearly fills it may have been cut.
  expect(await ask(3_000)).toMatchObject({ windowTokens: 2_048, silentCuts: 1 });
});

test('a part that is not counted teaches nothing of the text behind it', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 4_096, script: brief });
  await using gateway = await startTestGateway(server.url);
  const ask = async (...contents: unknown[]) => {
    const messages = contents.map((content) => ({ role: 'user', content }));
    const body = JSON.stringify({ model: server.model, messages });
    const response = await fetch(`${gateway.url}/chat/completions`, { method: 'POST', body });
    expect(response.status).toBe(200);
    await response.text();
    return gateway.status().models[0];
  };
  const video = { type: 'video_url', video_url: { url: 'http://x/y.mp4' } };
  await ask([{ type: 'text', text: 'river stone garden '.repeat(4_000) }, video], 'Well?');
  expect(server.requests.at(-1)?.body?.messages).toContainEqual(
    expect.objectContaining({ content: expect.arrayContaining([video]) }),
  );
  const plain = await ask('more plain words here. '.repeat(300));
  expect(plain).toMatchObject({ windowTokens: 4_096, silentCuts: 0 });
  expect(plain?.lastTokens).toBe(server.requests.at(-1)?.promptTokens);
});

test('Ollama says its window once the model is loaded: a long request loads it first', async () => {
  await using server = await createPersonaServer({ persona: 'ollama', windowTokens: 2_048, script: brief });
  server.reload(undefined);
  await using gateway = await startTestGateway(server.url);
  await clientOf(gateway.url).chat.completions.create({ model: server.model, messages: history(150) });
  expect(server.asked).toContain('POST /api/generate');
  expect(server.overflows).toBe(0);
});

/** Counts on from where the answer so far stops, as a model would, up to `last`. */
function counting(last: number): Script {
  return ({ messages, asksForSummary }) => {
    if (asksForSummary) return SUMMARY;
    const said = messages.findLast(({ role }) => role === 'assistant')?.content;
    const so =
      typeof said === 'string' ? [...said.matchAll(/n(\d+)\./g)].map(([, digits]) => Number(digits)) : [];
    const from = Math.max(0, ...so) + 1;
    return Array.from({ length: Math.max(0, last - from + 1) }, (_, index) => `n${from + index}. `).join('');
  };
}

const numbersIn = (text: string) => [...text.matchAll(/n(\d+)\./g)].map(([, digits]) => Number(digits));

test('an answer that outgrows the window goes on in a new request, and the client sees one', async () => {
  await using server = await createPersonaServer({
    persona: 'vllm',
    windowTokens: 2_048,
    script: counting(700),
    chunkChars: 7,
  });
  await using gateway = await startTestGateway(server.url, { notices: 'off' });
  const request = {
    model: server.model,
    messages: history(20),
    stream: true,
    stream_options: { include_usage: true },
  } as const;
  const seen = await collect(await clientOf(gateway.url).chat.completions.create(request));
  const numbers = numbersIn(seen.text);
  // A number that was cut in its middle by the stop may be missing or twice: the model goes on from what stands there.
  expect(new Set(numbers).size).toBeGreaterThanOrEqual(698);
  expect(numbers.at(-1)).toBe(700);
  expect([seen.ids.size, seen.roles, seen.finishes]).toEqual([1, 1, ['stop']]);
  const { restarts } = gateway.status().models[0] ?? {};
  expect(restarts).toBeGreaterThanOrEqual(1);
  expect(seen.usage).toHaveLength(1);
  expect(seen.usage[0]?.completion_tokens).toBeGreaterThan(0);
});

test('where the rest of an answer is refused as too long, the window is learned and it goes on', async () => {
  await using server = await createPersonaServer({
    persona: 'lmstudio',
    windowTokens: 2_048,
    script: counting(700),
    chunkChars: 7,
    chunkDelayMs: 1,
  });
  await using gateway = await startTestGateway(server.url, { notices: 'off', compactionModel: 'none' });
  const request = { model: server.model, messages: history(30), stream: true } as const;
  const stream = await clientOf(gateway.url).chat.completions.create(request);
  // The model is loaded anew while it answers.
  const seen = await collect(stream, (count) => {
    if (count === 20) server.reload(620);
  });
  expect(new Set(numbersIn(seen.text)).size).toBeGreaterThan(300);
  expect([seen.ids.size, seen.roles]).toEqual([1, 1]);
  expect(gateway.status().models[0]?.windowTokens).toBe(620);
});

test('an answer that calls a tool is not stopped: the call arrives whole', async () => {
  const list = Array.from({ length: 205 }, (_, index) => `entry ${index}`).join(', ');
  const script: Script = ({ asksForSummary }) =>
    asksForSummary ? SUMMARY : { text: 'Writing.', toolCalls: [{ name: 'write', arguments: { list } }] };
  await using server = await createPersonaServer({ persona: 'vllm', windowTokens: 1_024, script });
  await using gateway = await startTestGateway(server.url);
  const tools = [{ type: 'function' as const, function: { name: 'write', parameters: { type: 'object' } } }];
  const request = { model: server.model, messages: history(12), tools, stream: true } as const;
  const seen = await collect(await clientOf(gateway.url).chat.completions.create(request));
  const calls = seen.chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
  const written = calls.map((call) => call.function?.arguments ?? '').join('');
  expect(JSON.parse(written)).toEqual({ list });
  expect(seen.finishes).toEqual(['tool_calls']);
  const { promptTokens = 0, completionTokens = 0 } = server.requests.at(-1) ?? {};
  expect(promptTokens + completionTokens).toBeGreaterThan(0.9 * 1_024);
  expect(gateway.status().models[0]?.restarts).toBe(0);
  expect(seen.usage).toEqual([]);
});

test('an answer without end stops after three restarts, and says so', async () => {
  const endless: Script = ({ asksForSummary }) =>
    asksForSummary ? SUMMARY : 'and so on and on. '.repeat(5_000);
  await using server = await createPersonaServer({
    persona: 'vllm',
    windowTokens: 2_048,
    script: endless,
    chunkChars: 40,
  });
  await using gateway = await startTestGateway(server.url);
  const stream = await clientOf(gateway.url).chat.completions.create({
    model: server.model,
    messages: history(4),
    stream: true,
  });
  let text = '';
  const reading = (async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  })();
  await expect(reading).rejects.toThrow(/gone on with 3 times/);
  expect(text).toMatch(/⚠️ Context limit exceeded \(\d+\/2048 tokens\)\. Aborting\./);
  expect(gateway.status().models[0]?.restarts).toBeLessThanOrEqual(4);
  expect(gateway.status().errors[0]?.code).toBe('context_exhausted');
});

test.each([
  ['text', /^⚙️ Compacting conversation history…\n\n✅ Context compacted, continuing…\n\nYes\.$/, /^$/],
  ['reasoning', /^Yes\.$/, /⚙️ Compacting.*✅ Context compacted/s],
  ['comment', /^Yes\.$/, /^$/],
  ['off', /^Yes\.$/, /^$/],
] as const)('notices as %s', async (notices: NoticeManner, text, reasoning) => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url, { notices });
  const request = { model: server.model, messages: history(120), stream: true } as const;
  const seen = await collect(await clientOf(gateway.url).chat.completions.create(request));
  expect(seen.text).toMatch(text);
  expect(seen.reasoning).toMatch(reasoning);
  expect([seen.ids.size, seen.roles, seen.finishes]).toEqual([1, 1, ['stop']]);
  const again = await rawRequest(gateway.url, {
    body: JSON.stringify({ ...request, messages: [...history(120)] }),
  });
  expect(again.body.toString()).not.toContain('⚙️');
  expect(again.rawHeaders).toContain('X-Longhaul-Compacted');
});

test('an answer that a program is to read gets no notice into its text', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url);
  const response_format = { type: 'json_object' } as const;
  const request = { model: server.model, messages: history(120), stream: true, response_format } as const;
  expect((await collect(await clientOf(gateway.url).chat.completions.create(request))).text).toBe('Yes.');
});

test('a comment is a comment: it stands in the bytes and in no chunk', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url, { notices: 'comment' });
  const body = JSON.stringify({ model: server.model, messages: history(120), stream: true });
  const { body: bytes } = await rawRequest(gateway.url, { body });
  expect(bytes.toString()).toMatch(/^: ⚙️ Compacting conversation history…\n\n: ✅/);
});

test('our notices are taken out of a history that brings them back', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url);
  const { completions } = clientOf(gateway.url).chat;
  const messages = history(119);
  const first = await collect(await completions.create({ model: server.model, messages, stream: true }));
  expect(first.text).toContain('⚙️');
  const next = [
    ...messages,
    { role: 'assistant' as const, content: first.text },
    { role: 'user' as const, content: 'And?' },
  ];
  await completions.create({ model: server.model, messages: next });
  const [before, after] = server.requests
    .filter(({ body }) => body?.messages.at(-1)?.content !== undefined)
    .slice(-2);
  const sent = after?.body?.messages ?? [];
  expect(JSON.stringify(sent)).not.toContain('⚙️');
  expect(sent.at(-2)).toEqual({ role: 'assistant', content: 'Yes.' });
  expect(sent.slice(0, before?.messageCount)).toEqual(before?.body?.messages);
});

test('while a slow model compacts, comments keep the connection alive', async () => {
  const { promise: hasArrived, resolve: onChunk } = Promise.withResolvers<void>();
  const slow: Script = async ({ asksForSummary }) => {
    if (!asksForSummary) return 'Yes.';
    await hasArrived;
    return SUMMARY;
  };
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 2_048, script: slow });
  await using gateway = await startTestGateway(server.url, { notices: 'off', keepAliveMs: 50 });
  const body = JSON.stringify({ model: server.model, messages: history(120), stream: true });
  const { body: bytes } = await rawRequest(gateway.url, { body, onChunk });
  expect(bytes.toString()).toMatch(/^(?:: compacting\n\n)+data: \{/);
});

test('the log says of which chat it speaks', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url);
  const request = { model: server.model, messages: history(120) };
  const body = JSON.stringify(request);
  await rawRequest(gateway.url, { body, headers: { 'x-openwebui-chat-id': 'chat-7' } });
  await clientOf(gateway.url).chat.completions.create({ ...request, messages: history(122), user: 'u-1' });
  const compactions = gateway.logged.filter(({ message }) => message.startsWith('Compacted'));
  expect(compactions.map(({ chat }) => chat)).toContain('chat-7');
});

test('a title is asked for of what was said, not of our notices', async () => {
  const upstream = await startRecordingUpstream((_, response) => void response.end('{}'));
  await using gateway = await startTestGateway(upstream.url);
  const task = (said: string) =>
    `### Task:\nGenerate a title.\n<chat_history>\nASSISTANT: ${said}\n</chat_history>`;
  const ask = (content: string) =>
    rawRequest(gateway.url, {
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
    });
  const notices = '⚙️ Compacting conversation history…\n\n✅ Context compacted, continuing…\n\n';
  await ask(task(`${notices}Rivers flow.`));
  // A user who asks about one is understood.
  await ask(notices);
  const sent = upstream.received.map(({ body }) => JSON.parse(body.toString()).messages[0].content);
  expect(sent).toEqual([task('Rivers flow.'), notices]);
  await upstream[Symbol.asyncDispose]();
});

test('a model that was loaded with a larger window is not compacted for once more', async () => {
  await using server = await createPersonaServer({ persona: 'lmstudio', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url, { windowMaxAgeMs: 3_600_000, windowRenewMs: 0 });
  const { completions } = clientOf(gateway.url).chat;
  const ask = (count: number) => completions.create({ model: server.model, messages: history(count) });
  await ask(119);
  expect(gateway.status().models[0]).toMatchObject({ windowTokens: 2_048, compactions: 1 });
  server.reload(16_384);
  // Long enough to be compacted anew, were it not for the larger window.
  await ask(161);
  expect(gateway.status().models[0]).toMatchObject({ windowTokens: 16_384, compactions: 1 });
  expect(server.requests.at(-1)?.messageCount).toBe(161);
});

test('after an answer near the threshold the window is asked for, beside everything else', async () => {
  await using server = await createPersonaServer({ persona: 'lmstudio', windowTokens: 8_192, script: brief });
  await using gateway = await startTestGateway(server.url, { windowMaxAgeMs: 3_600_000, windowRenewMs: 0 });
  const { completions } = clientOf(gateway.url).chat;
  const ask = (count: number) => completions.create({ model: server.model, messages: history(count) });
  await ask(5);
  server.reload(16_384);
  await ask(5);
  expect(gateway.status().models[0]?.windowTokens).toBe(8_192);
  await ask(115);
  await expect.poll(() => gateway.status().models[0]?.windowTokens).toBe(16_384);
});
