import type { ServerResponse } from 'node:http';
import { createPersonaServer, type Script } from '@longhaul/scripted-model';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import type { NoticeManner } from '../src/index.ts';
import { rawRequest } from './raw-client.ts';
import { type Received, startRecordingUpstream } from './recording-upstream.ts';
import { startFront } from './server-front.ts';
import { startBoth, startTestGateway } from './start-test-gateway.ts';

const SUMMARY = 'The talk was about rivers: how they flow to the sea, and which of them are the longest.';
const brief: Script = ({ asksForSummary }) => (asksForSummary ? SUMMARY : 'Yes.');

type Message = { role: 'user' | 'assistant'; content: string };

/** About 30 tokens per message. */
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
  'learns an unknown window from a refusal and retries (%s, %s, stream: %s)',
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

test('retries after a refusal that follows the first chunk, and the client sees one stream', async () => {
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

const EXCEEDED = '{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}';

test.each([
  ['max_tokens', 500],
  ['max_completion_tokens', 500],
  ['max_tokens', 200],
])(
  'repeats a small request with a smaller %s after a refusal without sizes with status %i',
  async (field, status) => {
    await using both = await startBoth(
      (request, response) => {
        const asked = JSON.parse(String(request.body))[field];
        if (asked > 256)
          return void response.writeHead(status, { 'content-type': 'application/json' }).end(EXCEEDED);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          '{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}',
        );
      },
      { compactionModel: 'none' },
    );
    const messages = [{ role: 'user' as const, content: 'A short question.' }];
    const completions = clientOf(both.gateway.url).chat.completions;
    const answer = await completions.create({ model: 'm', messages, [field]: 1_000 });
    expect(answer.choices[0]?.message.content).toBe('Yes.');
    expect(both.upstream.received.map(({ body }) => JSON.parse(String(body)))).toEqual([
      { model: 'm', messages, [field]: 1_000 },
      { model: 'm', messages, [field]: 256 },
    ]);
  },
);

test('passes the second refusal of a small request on', async () => {
  await using both = await startBoth(
    (_request, response) =>
      void response.writeHead(500, { 'content-type': 'application/json' }).end(EXCEEDED),
    { compactionModel: 'none' },
  );
  const answer = await fetch(`${both.gateway.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', max_tokens: 1_000, messages: [{ role: 'user', content: 'x' }] }),
  });
  expect([answer.status, await answer.text()]).toEqual([500, EXCEEDED]);
  expect(both.upstream.received).toHaveLength(2);
});

test('retries after a refusal with status 200', async () => {
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

test('passes a second refusal on unchanged', async () => {
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

test.each([true, false])(
  'lowers an answer that cannot fit to the room beside the prompt, and says so once (reports its window: %s)',
  async (reportsWindow) => {
    await using server = await createPersonaServer({
      persona: 'vllm',
      windowTokens: 2_048,
      script: brief,
      reportsWindow,
    });
    await using gateway = await startTestGateway(server.url);
    const { completions } = clientOf(gateway.url).chat;
    for (const max_tokens of [5_000, 2_048]) {
      const messages = [{ role: 'user' as const, content: 'Hi' }];
      const answer = await completions.create({ model: server.model, messages, max_tokens });
      expect(answer.choices[0]?.message.content).toBe('Yes.');
      const { max_tokens: sent } = server.requests.at(-1)?.body ?? {};
      expect(sent).toBeGreaterThan(1_900);
      expect(sent).toBeLessThan(2_040);
    }
    expect(server.overflows).toBe(reportsWindow ? 0 : 1);
    const lowered = gateway.logged.filter(({ message }) => message.startsWith('Lowered the longest answer'));
    expect(lowered.map(({ message }) => message)).toEqual([expect.stringContaining('from 5000 to ')]);
    await completions.create({ model: server.model, messages: history(2), max_tokens: 100 });
    expect(server.requests.at(-1)?.body?.max_tokens).toBe(100);
  },
);

test('uses the client’s key for compactions at its own server only', async () => {
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
        { name: 'one', baseUrl: one.url, clientKey: true },
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

test('lets llama.cpp count only near the threshold', async () => {
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

test('uses the newly reported window after a refusal by a model reloaded with a smaller one', async () => {
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

test('counts 2 in the header if the first compaction of a request was refused', async () => {
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

test('queries a server that restarts with a smaller window before the next request', async () => {
  const start = (windowTokens: number) =>
    createPersonaServer({ persona: 'llamacpp', windowTokens, script: brief });
  await using first = await start(8_192);
  await using front = await startFront(first.url);
  await using gateway = await startTestGateway(front.url);
  const { completions } = clientOf(gateway.url).chat;
  const request = { model: first.model, messages: history(120) };
  await completions.create(request);
  front.passTo(undefined);
  await expect(completions.create(request)).rejects.toThrow(/Cannot reach the upstream/);
  await using second = await start(2_048);
  front.passTo(second.url);
  expect((await completions.create(request)).choices[0]?.message.content).toBe('Yes.');
  expect(second.overflows).toBe(0);
});

test('detects a silent cut of Ollama by its usage, and retries compacted', async () => {
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
  // A stream cannot be retried, but the window is known now.
  await collect(await clientOf(gateway.url).chat.completions.create({ ...request, stream: true }));
  expect(server.requests.at(-1)?.droppedTokens).toBeUndefined();
});

test('sees no silent cut while the reported window has room', async () => {
  await using both = await startBoth((_, response) => {
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
  // A prompt that nearly fills the window may have been cut.
  expect(await ask(3_000)).toMatchObject({ windowTokens: 2_048, silentCuts: 1 });
});

test('learns nothing from a request with an uncounted part', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 4_096, script: brief });
  await using gateway = await startTestGateway(server.url);
  const ask = async (...contents: unknown[]) => {
    const messages = contents.map((content) => ({ role: 'user', content }));
    const body = JSON.stringify({ model: server.model, messages });
    const response = await fetch(`${gateway.url}/chat/completions`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
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

test('loads an idle model of Ollama before a long request, to learn its window', async () => {
  await using server = await createPersonaServer({ persona: 'ollama', windowTokens: 2_048, script: brief });
  server.reload(undefined);
  await using gateway = await startTestGateway(server.url);
  await clientOf(gateway.url).chat.completions.create({ model: server.model, messages: history(150) });
  expect(server.asked).toContain('POST /api/generate');
  expect(server.overflows).toBe(0);
});

/** A model that counts up to `last`, starting after the last number of the answer so far. */
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

test('continues an answer that outgrows the window in a new request, and the client sees one answer', async () => {
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
  // A number that the stop cut in its middle may be missing or occur twice.
  expect(new Set(numbers).size).toBeGreaterThanOrEqual(698);
  expect(numbers.at(-1)).toBe(700);
  expect([seen.ids.size, seen.roles, seen.finishes]).toEqual([1, 1, ['stop']]);
  const { restarts } = gateway.status().models[0] ?? {};
  expect(restarts).toBeGreaterThanOrEqual(1);
  expect(seen.usage).toHaveLength(1);
  expect(seen.usage[0]?.completion_tokens).toBeGreaterThan(0);
});

test('learns the window and continues if the rest of an answer is refused as too long', async () => {
  await using server = await createPersonaServer({
    persona: 'lmstudio',
    windowTokens: 2_048,
    script: counting(600),
    chunkChars: 7,
    chunkDelayMs: 1,
  });
  await using gateway = await startTestGateway(server.url, { notices: 'off', compactionModel: 'none' });
  const request = { model: server.model, messages: history(30), stream: true } as const;
  const stream = await clientOf(gateway.url).chat.completions.create(request);
  // The model is reloaded while it answers.
  const seen = await collect(stream, (count) => {
    if (count === 20) server.reload(620);
  });
  expect(new Set(numbersIn(seen.text)).size).toBeGreaterThan(300);
  expect([seen.ids.size, seen.roles]).toEqual([1, 1]);
  expect(gateway.status().models[0]?.windowTokens).toBe(620);
});

test('does not stop an answer that calls a tool', async () => {
  const list = Array.from({ length: 180 }, (_, index) => `entry ${index}`).join(', ');
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

test('ends an endless answer after three restarts with a notice and finish reason length', async () => {
  const endless: Script = ({ asksForSummary }) =>
    asksForSummary ? SUMMARY : 'and so on and on. '.repeat(5_000);
  await using server = await createPersonaServer({
    persona: 'vllm',
    windowTokens: 2_048,
    script: endless,
    chunkChars: 40,
  });
  await using gateway = await startTestGateway(server.url);
  const request = { model: server.model, messages: history(4), stream: true } as const;
  const { text, finishes } = await collect(await clientOf(gateway.url).chat.completions.create(request));
  expect(finishes).toEqual(['length']);
  const used = Number(/⚠️ Context limit exceeded \((\d+)\/2048 tokens\)\. Aborting\./.exec(text)?.[1]);
  expect(used).toBeGreaterThan(2_048 * 0.85);
  expect(used).toBeLessThanOrEqual(2_048);
  expect(gateway.status().models[0]?.restarts).toBeLessThanOrEqual(4);
  expect(gateway.status().errors[0]?.code).toBe('context_exhausted');
});

test.each([
  [
    'text',
    /^⚙️ Compacting conversation history…\n\n✅ Context compacted, continuing… \(kept \d+ messages, summary by the model\)\n\nYes\.$/,
    /^$/,
  ],
  ['reasoning', /^Yes\.$/, /⚙️ Compacting.*✅ Context compacted/s],
  ['comment', /^Yes\.$/, /^$/],
  ['off', /^Yes\.$/, /^$/],
] as const)('shows notices as %s', async (notices: NoticeManner, text, reasoning) => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url, { notices });
  const request = { model: server.model, messages: history(120), stream: true } as const;
  const seen = await collect(await clientOf(gateway.url).chat.completions.create(request));
  expect(seen.text).toMatch(text);
  expect(seen.reasoning).toMatch(reasoning);
  expect([seen.ids.size, seen.roles, seen.finishes]).toEqual([1, 1, ['stop']]);
  const again = await rawRequest(gateway.url, {
    headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
    body: JSON.stringify({ ...request, messages: [...history(120)] }),
  });
  expect(again.body.toString()).not.toContain('⚙️');
  expect(again.rawHeaders).toContain('X-Longhaul-Compacted');
});

test('writes no notice into the text of a structured answer', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url);
  const response_format = { type: 'json_object' } as const;
  const request = { model: server.model, messages: history(120), stream: true, response_format } as const;
  expect((await collect(await clientOf(gateway.url).chat.completions.create(request))).text).toBe('Yes.');
});

test('writes no notice into the text of an answer that the user wants as JSON', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url);
  const messages = history(119);
  const asked: Message = { role: 'user', content: 'List the rivers. Answer with valid JSON only.' };
  messages.push(asked);
  const request = { model: server.model, messages, stream: true } as const;
  expect((await collect(await clientOf(gateway.url).chat.completions.create(request))).text).toBe('Yes.');
});

/** A model that answers summaries with a selection, if its server enforces a schema. */
function selectingServer(refusesSchema: boolean) {
  const formats: unknown[] = [];
  const answer = (request: Received, response: ServerResponse) => {
    const body = JSON.parse(String(request.body));
    const isSummary = String(body.messages.at(-1)?.content).startsWith('Summarise');
    if (isSummary) formats.push(body.response_format?.type);
    if (refusesSchema && body.response_format !== undefined) {
      response.writeHead(400, { 'content-type': 'application/json' });
      return void response.end('{"error":{"message":"Unknown field response_format"}}');
    }
    const text = isSummary ? '{"keep": [], "condense": [], "summary": "About rivers."}' : 'Yes.';
    const chunk = { choices: [{ index: 0, delta: { content: text }, finish_reason: 'stop' }] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  };
  return { answer, formats };
}

test.each([
  [false, ['json_schema', 'json_schema']],
  [true, ['json_schema', undefined, undefined]],
])(
  'requests a selection with a JSON schema, unless the server has refused one (refuses: %s)',
  async (refuses, expected) => {
    const server = selectingServer(refuses);
    await using both = await startBoth(server.answer, { notices: 'off' });
    for (const topic of ['a', 'b']) {
      const messages = history(150).map(({ role, content }) => ({
        role,
        content: `On ${topic}: ${content}`,
      }));
      const request = { model: 'm', messages, stream: true } as const;
      await collect(await clientOf(both.gateway.url).chat.completions.create(request));
      const sent = JSON.stringify(both.upstream.received.map(({ body }) => String(body)).at(-1));
      expect(sent).toContain('About rivers.');
    }
    expect(server.formats).toEqual(expected);
  },
);

test('stops the summary of a client that leaves', async () => {
  const begun = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  await using both = await startBoth((request, response) => {
    if (!request.url.endsWith('/chat/completions')) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': working\n\n');
    response.once('close', () => closed.resolve());
    begun.resolve();
  });
  const leaving = new AbortController();
  const request = { model: 'm', messages: history(151), stream: true } as const;
  const asking = clientOf(both.gateway.url).chat.completions.create(request, { signal: leaving.signal });
  await begun.promise;
  leaving.abort();
  await asking.then(
    (stream) => stream.controller.abort(),
    () => {},
  );
  await closed.promise;
  const [summary, ...others] = both.upstream.received.filter(({ url }) => url.endsWith('/completions'));
  expect(others).toEqual([]);
  expect(JSON.parse(String(summary?.body))).toMatchObject({ stream: true, max_tokens: expect.any(Number) });
});

test('sends a comment notice as an SSE comment', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url, { notices: 'comment' });
  const body = JSON.stringify({ model: server.model, messages: history(120), stream: true });
  const { body: bytes } = await rawRequest(gateway.url, { body });
  expect(bytes.toString()).toMatch(/^: ⚙️ Compacting conversation history…\n\n: ✅/);
});

test('removes notices from a history that contains them', async () => {
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

test('sends comments while a slow model compacts', async () => {
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

test('logs the chat id', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url);
  const request = { model: server.model, messages: history(120) };
  const body = JSON.stringify(request);
  await rawRequest(gateway.url, {
    body,
    headers: { 'x-openwebui-chat-id': 'chat-7', 'content-type': 'application/json' },
  });
  await clientOf(gateway.url).chat.completions.create({ ...request, messages: history(122), user: 'u-1' });
  const compactions = gateway.logged.filter(({ message }) => message.startsWith('Compacted'));
  expect(compactions.map(({ chat }) => chat)).toContain('chat-7');
});

test('removes notices from the chat in a title request, but not from a user’s message', async () => {
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
  // A user may quote a notice.
  await ask(notices);
  const sent = upstream.received.map(({ body }) => JSON.parse(body.toString()).messages[0].content);
  expect(sent).toEqual([task('Rivers flow.'), notices]);
  await upstream[Symbol.asyncDispose]();
});

test('does not compact again for a model reloaded with a larger window', async () => {
  await using server = await createPersonaServer({ persona: 'lmstudio', windowTokens: 2_048, script: brief });
  await using gateway = await startTestGateway(server.url, { windowMaxAgeMs: 3_600_000, windowRenewMs: 0 });
  const { completions } = clientOf(gateway.url).chat;
  const ask = (count: number) => completions.create({ model: server.model, messages: history(count) });
  await ask(119);
  expect(gateway.status().models[0]).toMatchObject({ windowTokens: 2_048, compactions: 1 });
  server.reload(16_384);
  // Too long for the smaller window.
  await ask(161);
  expect(gateway.status().models[0]).toMatchObject({ windowTokens: 16_384, compactions: 1 });
  expect(server.requests.at(-1)?.messageCount).toBe(161);
});

test('queries the window in the background after an answer to a large request', async () => {
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
