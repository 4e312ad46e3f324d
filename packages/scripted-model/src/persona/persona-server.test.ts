import { mapProviderError, probeWindow } from '@longhaul/models';
import { expect, test } from 'vitest';
import { createPersonaServer, type PersonaServerOptions } from './persona-server.ts';

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;

function persona(options: Partial<PersonaServerOptions> & Pick<PersonaServerOptions, 'persona'>) {
  return createPersonaServer({ script: () => 'Yes.', windowTokens: 200, countTokens: words, ...options });
}

async function chat(url: string, body: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

const history = (count: number) => [
  { role: 'system', content: 'Be brief.' },
  ...Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `message ${index} ${'word '.repeat(10)}`,
  })),
];

test.each([
  ['lmstudio', 'LM Studio /api/v1/models'],
  ['llamacpp', 'llama.cpp /props', 1],
  ['ollama', 'Ollama /api/ps'],
  ['vllm', 'vLLM /v1/models'],
] as const)(
  '%s reports the loaded window, and the new one after a reload',
  async (name, source, slots?: number) => {
    await using server = await persona({ persona: name });
    const ask = () => probeWindow({ baseUrl: server.url, model: server.model, timeoutMs: 60_000 });
    expect(await ask()).toEqual({ windowTokens: 200, source, slots });
    server.reload(300);
    expect(await ask()).toEqual({ windowTokens: 300, source, slots });
  },
);

test.each([
  ['lmstudio', 'error', 400],
  ['llamacpp', 'error', 400],
  ['vllm', 'error', 400],
  ['lmstudio', 'event', 200],
] as const)(
  '%s refuses (%s) with an error that is mapped to context_overflow',
  async (name, manner, status) => {
    await using server = await persona({ persona: name, manner });
    const body = { model: server.model, messages: history(21), stream: true };
    const answer = await chat(server.url, body);
    expect(answer.status).toBe(status);
    const mapped = mapProviderError({ status, body: answer.text, provider: name, model: server.model });
    expect(mapped).toMatchObject({ code: 'context_overflow', data: { windowTokens: 200 } });
    expect(server.overflows).toBe(1);
  },
);

test('Ollama answers the remaining messages, and shows the drop only in its token count', async () => {
  await using server = await persona({ persona: 'ollama' });
  const answer = await chat(server.url, { model: server.model, messages: history(41) });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text).usage.prompt_tokens).toBeLessThan(200);
  expect(server.requests[0]?.droppedTokens).toBeGreaterThan(300);
  const alone = await chat(server.url, {
    model: server.model,
    messages: [{ role: 'user', content: 'w '.repeat(999) }],
  });
  expect(alone.status).toBe(400);
});

test('llama.cpp counts a prompt like its chat endpoint', async () => {
  await using server = await persona({ persona: 'llamacpp', windowTokens: 1000 });
  const root = server.url.replace('/v1', '');
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(root + path, { method: 'POST', body: JSON.stringify(body) });
    return JSON.parse(await response.text());
  };
  const messages = history(5);
  const { prompt } = await post('/apply-template', { messages });
  const { tokens } = await post('/tokenize', { content: prompt });
  await chat(server.url, { model: 'any', messages });
  expect(tokens).toHaveLength(server.requests[0]?.promptTokens ?? 0);
});
