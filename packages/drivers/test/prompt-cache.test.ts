import type { ViewMessage } from '@longhaul/context/engine';
import { playedDriver, answer as says, testRun } from '@longhaul/testing/doubles';
import { expect, onTestFinished, test } from 'vitest';
import { createModelDriver, type ModelDriverOptions } from '../src/model-driver.ts';
import { startChatServer } from './chat-server.ts';
import { collect, MODEL_INFO, requestOf, userSays } from './drive.ts';
import { tested } from './tested-driver.ts';

const result = (callId: string): ViewMessage => ({
  role: 'assistant',
  content: [
    {
      type: 'tool',
      callId,
      name: 'look',
      input: {},
      output: [{ type: 'text', text: callId }],
      isError: false,
    },
  ],
});

const MESSAGES = [userSays('Go.'), ...['a', 'b', 'c', 'd', 'e', 'f'].map(result)];

/** Sends one request as if the server had the address, and returns its body. */
async function sentTo(
  baseUrl: string,
  model: string,
  { messages = MESSAGES, ...options }: Partial<ModelDriverOptions> & { messages?: ViewMessage[] } = {},
) {
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const driver = await createModelDriver({
    kind: 'openai-compatible',
    provider: 'mine',
    model,
    baseUrl,
    apiKey: 'the-key',
    info: MODEL_INFO,
    fetch: (_input, init) => fetch(server.url, init),
    ...options,
    settings: { ...tested.settings, ...options.settings },
  });
  await collect(driver, requestOf(messages, { system: 'Be terse.', cacheKey: 'session-1' }));
  return JSON.parse(server.requests[0] ?? '');
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const MARK = { cache_control: { type: 'ephemeral' } };
const marksIn = (body: object) => JSON.stringify(body).split('"cache_control"').length - 1;

test.each([
  ['https://openrouter.ai/api/v1', 'anthropic/claude-sonnet-4.5'],
  ['http://litellm.example:4000/v1', 'claude-opus-4-1'],
])('%s takes marks of the cache for %s, never more than four', async (baseUrl, model) => {
  const body = await sentTo(baseUrl, model);
  expect(body.messages[0]).toEqual({
    role: 'system',
    content: [{ type: 'text', text: 'Be terse.', ...MARK }],
  });
  expect(body.messages.slice(-3)).toEqual([
    { role: 'tool', tool_call_id: 'e', content: 'e', ...MARK },
    expect.objectContaining({ role: 'assistant' }),
    { role: 'tool', tool_call_id: 'f', content: 'f', ...MARK },
  ]);
  expect(marksIn(body)).toBe(3);
});

test('the mark of a user message is in its text, as OpenRouter requires', async () => {
  const body = await sentTo('https://openrouter.ai/api/v1', 'anthropic/claude-sonnet-4.5', {
    messages: [userSays('Go.')],
  });
  expect(body.messages[1]).toEqual({ role: 'user', content: [{ type: 'text', text: 'Go.', ...MARK }] });
  expect(marksIn(body)).toBe(2);
});

test('the mark of a message that ends with an image is at the image', async () => {
  const image = { type: 'image' as const, data: PNG };
  const words = { type: 'text' as const, text: 'See.' };
  const body = await sentTo('https://openrouter.ai/api/v1', 'anthropic/claude-sonnet-4.5', {
    messages: [{ role: 'user', content: [words, image] }],
  });
  expect(body.messages[1].content).toEqual([
    { type: 'text', text: 'See.' },
    expect.objectContaining({ type: 'image_url', ...MARK }),
  ]);
});

test.each<[string, string, object]>([
  ['https://openrouter.ai/api/v1', 'openai/gpt-5.1', {}],
  ['https://openrouter.ai/api/v1', 'anthropic/claude-sonnet-4.5', { settings: { cache: false } }],
  ['http://127.0.0.1:1234/v1', 'claude-like', {}],
])('%s gets no marks for %s with %j', async (baseUrl, model, options) => {
  expect(marksIn(await sentTo(baseUrl, model, options))).toBe(0);
});

test('cache: true marks the requests to any compatible server', async () => {
  expect(marksIn(await sentTo('http://127.0.0.1:1234/v1', 'mine', { settings: { cache: true } }))).toBe(3);
});

test.each<[string, Partial<ModelDriverOptions>]>([
  ['https://api.openai.com/v1', { kind: 'openai' }],
  ['https://api.openai.com/v1', {}],
  ['https://mine.openai.azure.com/openai/v1', {}],
  ['https://api.moonshot.ai/v1', {}],
])('%s gets the key of the session, and none with cache: false', async (baseUrl, options) => {
  expect(await sentTo(baseUrl, 'gpt-5.1', options)).toMatchObject({ prompt_cache_key: 'session-1' });
  const off = await sentTo(baseUrl, 'gpt-5.1', { ...options, settings: { cache: false } });
  expect(off).not.toHaveProperty('prompt_cache_key');
});

test('other servers get no key, because they may refuse it', async () => {
  expect(await sentTo('https://api.mistral.ai/v1', 'mistral-large')).not.toHaveProperty('prompt_cache_key');
});

test('all requests of a session have the same key, and another session has another key', async () => {
  const keysOf = async () => {
    const driver = playedDriver([says('One.'), says('Two.')]);
    const run = await testRun(driver);
    await run.run('one');
    await run.run('two');
    return driver.requests.map(({ cacheKey }) => cacheKey);
  };
  const [first, second] = await Promise.all([keysOf(), keysOf()]);
  expect(first).toHaveLength(2);
  expect(new Set(first).size).toBe(1);
  expect(first[0]).toMatch(/^.{1,64}$/);
  expect(second[0]).not.toBe(first[0]);
});
