import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ChatMessage } from '@longhaul/protocol';
import type { Script } from '@longhaul/scripted-model';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';

type Chat = OpenAI.ChatCompletionMessageParam[];

const textOf = ({ content }: ChatMessage): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part) => ('text' in part ? part.text : '')).join('');

/** Does what the newest user message says after `run`, in the shell, and then tells how many user messages it sees. */
const SHELL: Script = ({ messages, tools }) => {
  if (textOf(messages.at(-1) ?? { role: 'user' }) === 'fail') throw new Error('out of order');
  const users = messages.filter(({ role }) => role === 'user').map(textOf);
  const command = /run: (.*)/.exec(users.at(-1) ?? '')?.[1];
  const isDone = messages.at(-1)?.role === 'tool';
  if (command === undefined || isDone) return { reasoning: 'Enough.', text: `I see ${users.join(' | ')}` };
  if (!tools.some((tool) => tool.function.name === 'bash')) return 'I have no shell.';
  return { text: 'I run it.', toolCalls: [{ name: 'bash', arguments: { command } }] };
};

interface Served extends AsyncDisposable {
  bench: Bench;
  client: OpenAI;
  url: string;
  token: string;
  seen: ChatMessage[][];
  call(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ id: string; metadata?: Record<string, unknown>; [key: string]: unknown }>;
  sessions(): Promise<{ id: string; metadata?: Record<string, unknown>; state: string; workspace: string }[]>;
  restart(): Promise<Served>;
}

const CONFIG = (baseUrl: string, more: string) => `model: openai-compatible/scripted
providers: { openai-compatible: { baseUrl: "${baseUrl}" } }
sandbox: { driver: local }
agents: { reader: { tools: [read, list] } }
${more}`;

/** A real `longhaul serve` with a scripted model behind it. */
async function serve({
  script = SHELL,
  more = 'approvals: [{ tool: "*", action: allow }]',
  chunkDelayMs = 0,
} = {}): Promise<Served> {
  const bench = await Bench.open();
  const seen: ChatMessage[][] = [];
  const { server } = await bench.serve({
    chunkDelayMs,
    script: (request) => {
      seen.push([...request.messages]);
      return script(request);
    },
  });
  await writeFile(bench.userFile, CONFIG(server.url, more));
  const start = async (): Promise<Served> => {
    const running = bench.start(['serve', '--port', '0', '--json', '--log-level', 'silent']);
    await running.saw('"listening"');
    const { url, tokenFile } = JSON.parse(running.output().split('\n')[0] ?? '');
    const token = (await readFile(tokenFile, 'utf8')).trim();
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return JSON.parse(await response.text());
    };
    return {
      call,
      bench,
      url,
      token,
      seen,
      client: new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 }),
      sessions: async () => (await call('GET', '/api/sessions')).sessions,
      async restart() {
        running.child.kill('SIGTERM');
        await running.ended;
        return start();
      },
      [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
    };
  };
  return start();
}

const user = (content: string) => ({ role: 'user' as const, content });

async function ask(
  { client }: Served,
  messages: Chat,
  fields: { model?: string; max_tokens?: number } = {},
): Promise<string> {
  const completion = await client.chat.completions.create({ model: 'agent/coder', messages, ...fields });
  expect(completion).toMatchObject({ object: 'chat.completion', choices: [{ finish_reason: 'stop' }] });
  return completion.choices[0]?.message.content ?? '';
}

describe('agents as models of OpenAI’s API', () => {
  let shared: Served;
  beforeAll(async () => {
    shared = await serve({ chunkDelayMs: 5 });
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  it('keeps a chat in one session across turns and a restart; a repeated turn continues in a fork', async () => {
    await using server = await serve();
    const models = await server.client.models.list();
    expect(models.data.map(({ id }) => id)).toEqual(['agent/coder', 'agent/reader']);
    expect(await server.client.models.retrieve('agent/reader')).toMatchObject({
      id: 'agent/reader',
      object: 'model',
    });

    const chat: Chat = [{ role: 'system', content: 'Be brief.' }, user('run: echo one > one.txt')];
    const first = await ask(server, chat);
    expect(first).toBe('I run it.\n\nI see run: echo one > one.txt');
    expect(await readFile(join(server.bench.workspace, 'one.txt'), 'utf8')).toBe('one\n');
    chat.push({ role: 'assistant', content: first }, user('second'));
    const second = await ask(server, chat);
    expect(second).toBe('I see run: echo one > one.txt | second');
    // The session has the calls that the client was never sent.
    expect(server.seen.at(-1)?.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(server.seen.at(-1)?.[0]?.content).toMatch(/# Instructions from the client\n\nBe brief\./);
    expect(await server.sessions()).toMatchObject([
      { metadata: { agent: 'coder', instructions: 'Be brief.' } },
    ]);

    const again = await server.restart();
    chat[0] = { role: 'system', content: 'Be long.' };
    chat.push({ role: 'assistant', content: `<think>hm</think>\n\n${second}\n` }, user('third'));
    expect(await ask(again, chat)).toBe('I see run: echo one > one.txt | second | third');
    expect(await again.sessions()).toHaveLength(1);

    const edited: Chat = [...chat.slice(0, 3), user('second, changed')];
    expect(await ask(again, edited)).toBe('I see run: echo one > one.txt | second, changed');
    expect(again.seen.at(-1)?.map(({ role }) => role)).toContain('tool');
    expect(await again.sessions()).toHaveLength(2);

    const strange: Chat = [
      ...chat.slice(1, 3),
      user('elsewhere'),
      { role: 'assistant', content: 'Other words.' },
      user('now'),
    ];
    expect(await ask(again, strange)).toBe('I see run: echo one > one.txt | elsewhere | now');
    expect(again.seen.at(-1)?.map(textOf)).toContain('Other words.');
    const unknown: Chat = [user('a'), { role: 'assistant', content: 'b' }, user('c')];
    expect(await ask(again, unknown)).toBe('I see a | c');
    expect(await again.sessions()).toHaveLength(4);
  });

  it('streams the same answer, with reasoning and tool calls, also to the AI SDK', async () => {
    const server = shared;
    const messages: Chat = [user('run: echo hi; exit 3')];
    const whole = await server.client.chat.completions.create({ model: 'agent/coder', messages });
    const stream = await server.client.chat.completions.create({
      model: 'agent/coder',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const deltas = chunks.map(({ choices }) => choices[0]?.delta ?? {});
    const joined = (key: string) => deltas.map((delta) => Reflect.get(delta, key) ?? '').join('');
    const message = whole.choices[0]?.message;
    expect(joined('content')).toBe(message?.content);
    expect(joined('reasoning_content')).toBe(message && Reflect.get(message, 'reasoning_content'));
    expect(joined('reasoning_content')).toMatch(/^⚙️ bash: echo hi; exit 3\n✗ bash: .*\n\n\nEnough\.$/);
    expect(deltas[0]).toEqual({ role: 'assistant', content: '' });
    expect(chunks.at(-2)).toMatchObject({ choices: [{ delta: {}, finish_reason: 'stop' }] });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);

    const provider = createOpenAICompatible({
      name: 'longhaul',
      baseURL: `${server.url}/v1`,
      apiKey: server.token,
    });
    const prompt = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'run: echo hi; exit 3' }] },
    ];
    const streamed = await provider('agent/coder').doStream({ prompt });
    const parts = [];
    for await (const part of streamed.stream) parts.push(part);
    const text = parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : [])).join('');
    expect(text).toBe(message?.content);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'stop' } });
  });

  it.each([
    // An answer that never ends by itself: the run ends because the client left.
    { onDisconnect: 'cancel', state: 'cancelled', fault: { kind: 'silence', afterChunks: 10 } as const },
    { onDisconnect: 'continue', state: 'completed', fault: { kind: 'slow', delayMs: 10 } as const },
  ])('a client that leaves: $onDisconnect', async ({ onDisconnect, state, fault }) => {
    await using server = await serve({
      more: `server: { openai: { onDisconnect: ${onDisconnect}, workspace: own } }`,
      script: ({ messages }) => (messages.length > 2 ? 'Short.' : { text: 'word '.repeat(200), fault }),
    });
    const leaving = new AbortController();
    const stream = await server.client.chat.completions.create(
      { model: 'agent/coder', messages: [user('talk')], stream: true },
      { signal: leaving.signal },
    );
    let said = '';
    for await (const chunk of stream) {
      said += chunk.choices[0]?.delta.content ?? '';
      if (said.length > 20) leaving.abort();
    }
    await expect.poll(async () => (await server.sessions())[0]?.state).toBe(state);
    expect(await ask(server, [user('talk'), { role: 'assistant', content: said }, user('and?')])).toBe(
      'Short.',
    );
    expect(server.seen.at(-1)?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    const [session] = (await server.sessions()).slice(-1);
    expect(session?.workspace).toBe(join(server.bench.workspace, 'chats', session?.id ?? ''));
  });

  it('lets the second of two equal requests wait, and answers side requests without a session', async () => {
    const server = shared;
    const before = (await server.sessions()).length;
    const messages: Chat = [user('run: echo x >> twice.txt')];
    const answers = await Promise.all([ask(server, messages), ask(server, messages)]);
    expect(answers[0]).toBe(answers[1]);
    expect(await readFile(join(server.bench.workspace, 'twice.txt'), 'utf8')).toBe('x\nx\n');
    expect(await server.sessions()).toHaveLength(before + 2);
    await ask(server, [user('### Task:\nGenerate a title.\n<chat_history>run: ls</chat_history>')]);
    expect(server.seen.at(-1)).toHaveLength(1);
    expect(await server.sessions()).toHaveLength(before + 2);
  });

  it('refuses calls that need approval, with the reason that nobody can be asked', async () => {
    await using server = await serve({
      more: 'approvals: [{ tool: bash, action: ask }]\nserver: { openai: { activity: comment } }',
    });
    const answer = await ask(server, [user('run: echo no > no.txt')]);
    expect(answer).toContain('I see');
    expect(textOf(server.seen.at(-1)?.at(-1) ?? { role: 'tool' })).toMatch(
      /Nobody can be asked over this API/,
    );
    expect(existsSync(join(server.bench.workspace, 'no.txt'))).toBe(false);
    expect(await ask(server, [user('run: ls')], { model: 'agent/reader' })).toBe('I have no shell.');

    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'agent/coder', messages: [user('run: ls')], stream: true }),
    });
    expect(response.headers.get('x-longhaul-session')).toBe((await server.sessions())[0]?.id);
    const blocks = (await response.text()).split('\n\n');
    expect(blocks).toContain(': ⚙️ bash: ls');
    expect(blocks.slice(-2)).toEqual(['data: [DONE]', '']);
    expect(blocks.filter((block) => block.includes('reasoning_content')).join('')).not.toContain('bash');

    const made = await server.call('POST', '/api/sessions', { agent: 'reader' });
    const changed = await server.call('PATCH', `/api/sessions/${made.id}`, { metadata: { color: 'red' } });
    expect(changed.metadata).toEqual({ agent: 'reader', color: 'red' });
    const refused = await server.call('POST', '/api/sessions', { agent: 'raeder' });
    expect(refused).toMatchObject({ error: { code: 'unknown_agent', data: { known: ['coder', 'reader'] } } });
  });

  it('answers errors in OpenAI’s shape, before and inside of a stream', async () => {
    const server = shared;
    const { client, url } = server;
    const create = (fields: object) =>
      client.chat.completions.create({ model: 'agent/coder', messages: [user('hi')], ...fields });
    const failures: [() => Promise<unknown>, object][] = [
      [
        () => create({ model: 'gpt-4o' }),
        { status: 404, code: 'model_not_found', type: 'invalid_request_error', param: null },
      ],
      [() => create({ messages: [] }), { status: 400, code: 'invalid_request' }],
      [
        () => create({ messages: [{ role: 'robot', content: 'x' }] }),
        { status: 400, code: 'invalid_request' },
      ],
      [
        () => create({ messages: [{ role: 'assistant', content: 'x' }] }),
        { status: 400, code: 'invalid_request' },
      ],
      [() => create({ n: 2 }), { status: 400, code: 'invalid_request' }],
      [
        () => create({ tools: [{ type: 'function', function: { name: 'x' } }] }),
        { status: 400, code: 'invalid_request' },
      ],
      [() => create({ messages: [user('fail')] }), { status: 400, code: 'provider_bad_request' }],
      [
        () => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'wrong', maxRetries: 0 }).models.list(),
        { status: 401, code: 'unauthorized' },
      ],
    ];
    for (const [failing, expected] of failures) {
      const error = await failing().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject(expected);
    }
    const read = async () => {
      for await (const _ of await client.chat.completions.create({
        model: 'agent/coder',
        messages: [user('fail')],
        stream: true,
      }));
    };
    await expect(read()).rejects.toMatchObject({
      code: 'provider_bad_request',
      error: { type: 'invalid_request_error' },
    });
    const headers = { authorization: `Bearer ${server.token}`, origin: 'https://evil.example' };
    const foreign = await fetch(`${url}/v1/models`, { headers });
    expect([foreign.status, await foreign.json()]).toMatchObject([
      403,
      { error: { code: 'forbidden', param: null } },
    ]);
  });
});
