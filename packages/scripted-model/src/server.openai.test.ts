import OpenAI, { APIError } from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createScriptedModelServer,
  inOrder,
  type Script,
  type ScriptedModelServer,
  type ScriptedModelServerOptions,
  toolResults,
} from './index.ts';

let server: ScriptedModelServer;

afterEach(() => server.close());

async function start(options: ScriptedModelServerOptions | Script): Promise<OpenAI> {
  server = await createScriptedModelServer(typeof options === 'function' ? { script: options } : options);
  return new OpenAI({ baseURL: server.url, apiKey: 'any', maxRetries: 0 });
}

const hello = { model: 'scripted', messages: [{ role: 'user', content: 'Hello' }] } satisfies Body;
type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;

const weatherTool: OpenAI.ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
};

async function collect(client: OpenAI, body: Body = hello): Promise<OpenAI.ChatCompletionChunk[]> {
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  const stream = await client.chat.completions.create({
    ...body,
    stream: true,
    stream_options: { include_usage: true },
  });
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

function textIn(chunks: readonly OpenAI.ChatCompletionChunk[]): string {
  return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
}

async function failure(promise: Promise<unknown>): Promise<APIError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof APIError) return error;
  throw new Error(`Expected an APIError, got ${String(error)}`);
}

describe('an answer', () => {
  it('is complete without a stream, with the usage of the tokenizer', async () => {
    const client = await start(() => 'Hello, world');
    const completion = await client.chat.completions.create(hello);
    expect(completion.choices[0]?.message.content).toBe('Hello, world');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage).toMatchObject({ prompt_tokens: 8, completion_tokens: 3, total_tokens: 11 });
  });

  it('streams as role, deltas, finish reason, usage', async () => {
    const text = 'A text that is longer than one delta 😀 and holds pairs 😀😀.';
    const client = await start({ script: () => text, chunkChars: 5 });
    const chunks = await collect(client);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(textIn(chunks)).toBe(text);
    expect(chunks.every((chunk) => textIn([chunk]).isWellFormed())).toBe(true);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 8 } });
    expect(server.requests[0]).toMatchObject({ outcome: 'answered', status: 200, finishReason: 'stop' });
  });

  it('streams no usage unless the request includes it', async () => {
    const client = await start(() => 'Hello');
    const stream = await client.chat.completions.create({ ...hello, stream: true });
    for await (const chunk of stream) expect(chunk).not.toHaveProperty('usage');
  });

  it('streams several tool calls with their arguments in pieces', async () => {
    const client = await start(() => ({
      text: 'Looking.',
      toolCalls: [
        { name: 'weather', arguments: { city: 'A city with quite a long name' } },
        { name: 'weather', arguments: '{"city": broken', id: 'call_mine' },
      ],
    }));
    const runner = client.chat.completions.stream({ ...hello, tools: [weatherTool] });
    const message = await runner.finalMessage();
    expect(message.content).toBe('Looking.');
    expect(message.tool_calls?.map((call) => call.type === 'function' && call.function.arguments)).toEqual([
      '{"city":"A city with quite a long name"}',
      '{"city": broken',
    ]);
    expect(message.tool_calls?.[1]?.id).toBe('call_mine');
    const completion = await runner.finalChatCompletion();
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it('reacts to tool results, and returns tool calls without a stream', async () => {
    const client = await start(({ messages }) => {
      const [weather] = toolResults(messages, 'weather');
      if (weather !== undefined) return `It is ${weather.result}.`;
      return { toolCalls: [{ name: 'weather', arguments: { city: 'Turin' } }] };
    });
    const first = (await client.chat.completions.create({ ...hello, tools: [weatherTool] })).choices[0];
    expect(first?.finish_reason).toBe('tool_calls');
    expect(first?.message.content).toBeNull();
    const call = first?.message.tool_calls?.[0];
    const second = await client.chat.completions.create({
      ...hello,
      tools: [weatherTool],
      messages: [
        ...hello.messages,
        ...(first === undefined ? [] : [first.message]),
        { role: 'tool', tool_call_id: call?.id ?? '', content: 'raining' },
      ],
    });
    expect(second.choices[0]?.message.content).toBe('It is raining.');
  });

  it('is cut at max_tokens with finish reason length, and counts the sent tokens', async () => {
    const client = await start(() => ({
      reasoning: 'I think.',
      text: 'word '.repeat(500),
      toolCalls: [{ name: 'weather', arguments: {} }],
    }));
    const completion = await client.chat.completions.create({ ...hello, max_tokens: 20 });
    expect(completion.choices[0]?.finish_reason).toBe('length');
    expect(completion.choices[0]?.message.tool_calls).toBeUndefined();
    expect(completion.usage?.completion_tokens).toBe(20);
    expect(completion.usage?.completion_tokens_details?.reasoning_tokens).toBe(3);
    expect(completion.choices[0]?.message.content?.length).toBeGreaterThan(50);
  });

  it('is cut at the end of the window, in the middle of arguments', async () => {
    const toolCalls = [{ name: 'weather', arguments: { city: 'word '.repeat(500) } }];
    const client = await start({ script: () => ({ toolCalls }), windowTokens: 50 });
    const completion = await client.chat.completions.create(hello);
    expect(completion.usage?.total_tokens).toBe(50);
    expect(completion.choices[0]?.finish_reason).toBe('length');
    const call = completion.choices[0]?.message.tool_calls?.[0];
    expect(call?.type === 'function' && call.function.arguments).toMatch(/^\{"city":"word /);
  });
});

describe('the prompt', () => {
  const usageOf = async (client: OpenAI, body: Body) => (await client.chat.completions.create(body)).usage;

  it('counts names, tool calls, tools and pictures', async () => {
    const client = await start(() => 'ok');
    const plain = (await usageOf(client, hello))?.prompt_tokens ?? 0;
    const more = async (body: Partial<Body>) =>
      ((await usageOf(client, { ...hello, ...body }))?.prompt_tokens ?? 0) - plain;
    expect(await more({ tools: [weatherTool] })).toBeGreaterThan(20);
    expect(await more({ messages: [{ role: 'user', content: 'Hello', name: 'Ada' }] })).toBe(1);
    expect(
      await more({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Hello' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
            ],
          },
        ],
      }),
    ).toBe(765);
  });

  it('reports the prefix shared with the previous request as cached, and nothing after a rewrite', async () => {
    const client = await start(() => 'ok');
    const long: Body['messages'][number] = { role: 'user', content: 'word '.repeat(300) };
    const cached = async (...messages: Body['messages']) =>
      (await usageOf(client, { ...hello, messages }))?.prompt_tokens_details?.cached_tokens;
    const system: Body['messages'][number] = { role: 'system', content: 'You are a test.' };
    expect(await cached(system, long)).toBe(0);
    expect(await cached(system, long, ...hello.messages)).toBe(4 + 5 + 4 + 301);
    expect(await cached(system, { ...long, content: 'A summary' }, ...hello.messages)).toBe(4 + 5);
    expect(await cached({ ...system, content: 'Another' }, long)).toBe(0);
    expect(server.stats()).toMatchObject({ requests: 4, cachedTokens: 323 });
  });

  it('tells the script when a compaction asks for a summary', async () => {
    const flags: boolean[] = [];
    const client = await start(({ asksForSummary }) => {
      flags.push(asksForSummary);
      return 'ok';
    });
    const summary: Body = { ...hello, messages: [{ role: 'user', content: 'Summarise the session.' }] };
    await usageOf(client, summary);
    await usageOf(client, { ...summary, tools: [weatherTool] });
    const inPassing: Body = { ...hello, messages: [{ role: 'user', content: 'Write a summary page.' }] };
    await usageOf(client, { ...inPassing, tools: [weatherTool] });
    await usageOf(client, { ...inPassing, tools: [weatherTool], tool_choice: 'none' });
    await usageOf(client, hello);
    expect(flags).toEqual([true, true, false, true, false]);
  });
});

describe('the window', () => {
  const big: Body = { ...hello, messages: [{ role: 'user', content: 'word '.repeat(500) }] };

  it('refuses a prompt that is too long with the message of OpenAI', async () => {
    const client = await start({ script: () => 'ok', windowTokens: 400 });
    const error = await failure(client.chat.completions.create(big));
    expect(error).toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
      param: 'messages',
      type: 'invalid_request_error',
    });
    expect(error.message).toContain(
      "This model's maximum context length is 400 tokens. However, your messages resulted in 508 tokens. Please reduce the length of the messages.",
    );
    expect(server.overflows).toBe(1);
    expect(server.requests[0]).toMatchObject({ outcome: 'overflow', status: 400, promptTokens: 508 });
  });

  it('counts max_tokens and tools, and accepts a request that fits exactly', async () => {
    const client = await start({ script: () => 'ok', windowTokens: 600 });
    await client.chat.completions.create({ ...big, max_tokens: 92 });
    const error = await failure(client.chat.completions.create({ ...big, max_completion_tokens: 93 }));
    expect(error.message).toContain(
      'However, you requested 601 tokens (508 in the messages, 93 in the completion). Please reduce the length of the messages or completion.',
    );
    const withTools = await failure(
      client.chat.completions.create({ ...big, max_tokens: 90, tools: [weatherTool] }),
    );
    expect(withTools.message).toMatch(/508 in the messages, \d+ in the functions, and 90 in the completion/);
    expect(server.overflows).toBe(2);
  });

  it('is listed with the model in the form of vLLM', async () => {
    const client = await start({ script: () => 'ok', windowTokens: 4096, model: 'small' });
    const models = await client.models.list();
    expect(models.data).toEqual([expect.objectContaining({ id: 'small', max_model_len: 4096 })]);
  });
});

describe('a bad request', () => {
  it('with a wrong key is refused with 401', async () => {
    const client = await start({ script: () => 'ok', apiKey: 'right' });
    expect(await failure(client.chat.completions.create(hello))).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    });
    expect(await failure(Promise.resolve(client.models.list()))).toMatchObject({ status: 401 });
    const right = client.withOptions({ apiKey: 'right' });
    expect((await right.chat.completions.create(hello)).choices).toHaveLength(1);
    expect(JSON.stringify(server.requests)).not.toContain('right');
  });

  it('for an unknown model or path gets 404', async () => {
    const client = await start(() => 'ok');
    expect(await failure(client.chat.completions.create({ ...hello, model: 'gpt-x' }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    expect(await failure(client.embeddings.create({ model: 'scripted', input: 'x' }))).toMatchObject({
      status: 404,
      code: 'unknown_url',
    });
  });

  it('without messages, or with an invalid limit, gets 400', async () => {
    const client = await start(() => 'ok');
    const empty = await failure(client.chat.completions.create({ ...hello, messages: [] }));
    expect(empty).toMatchObject({ status: 400, param: 'messages' });
    const limit = await failure(client.chat.completions.create({ ...hello, max_tokens: 0 }));
    expect(limit).toMatchObject({ status: 400, param: 'max_tokens' });
  });

  it('of malformed JSON gets 400', async () => {
    await start(() => 'ok');
    const response = await fetch(`${server.url}/chat/completions`, { method: 'POST', body: '{"model": ' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect(server.requests[0]).toMatchObject({ outcome: 'rejected', status: 400 });
  });

  it('with a call without its result, or a result without its call, gets 400 as from OpenAI', async () => {
    const client = await start(() => 'ok');
    const call: Body['messages'][number] = {
      role: 'assistant',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
    };
    const result: Body['messages'][number] = { role: 'tool', tool_call_id: 'call_1', content: 'rain' };
    const send = (...messages: Body['messages']) => client.chat.completions.create({ ...hello, messages });
    expect((await failure(send(call, ...hello.messages))).message).toContain('call_1');
    expect((await failure(send(call))).message).toContain('call_1');
    expect((await failure(send(...hello.messages, result))).message).toContain("role 'tool'");
    expect((await failure(send(call, result, result))).message).toContain("role 'tool'");
    expect((await send(call, result)).choices).toHaveLength(1);
  });

  it('for which the script throws gets 400 with the error, and is not retried', async () => {
    const client = await start(inOrder(['only one']));
    await client.chat.completions.create(hello);
    const error = await failure(client.chat.completions.create(hello));
    expect(error).toMatchObject({ status: 400, code: 'script_failed' });
    expect(error.message).toContain('The script has 1 replies; this is request 2');
  });
});
