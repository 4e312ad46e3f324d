import type { RequestExtras } from '@longhaul/models';
import { expect, onTestFinished, test } from 'vitest';
import { startChatServer } from '../test/chat-server.ts';
import { collect, MODEL_INFO, requestOf, userSays } from '../test/drive.ts';
import { configuredFetch } from './configured-fetch.ts';
import { createModelDriver } from './model-driver.ts';

async function requestWith(extras: RequestExtras) {
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  let headers = new Headers();
  const driver = await createModelDriver({
    kind: 'openai-compatible',
    provider: 'mine',
    model: 'served-model',
    baseUrl: server.url,
    apiKey: 'own-key',
    info: MODEL_INFO,
    extras,
    fetch: (input, init) => {
      headers = new Headers(init?.headers);
      return fetch(input, init);
    },
  });
  const events = await collect(driver, requestOf([userSays('Hello.')]));
  return { headers, body: JSON.parse(server.requests[0] ?? ''), events };
}

test('configured headers are sent with each request and replace those of the client', async () => {
  const { headers, events } = await requestWith({
    headers: { 'X-Team': 'blue', Authorization: 'Custom abc' },
  });
  expect(events.at(-1)).toMatchObject({ type: 'finish' });
  expect(headers.get('x-team')).toBe('blue');
  expect(headers.get('authorization')).toBe('Custom abc');
  expect(headers.get('content-type')).toBe('application/json');
});

test('a configured anthropic-beta adds to those that the client sends', async () => {
  const sent: (string | null)[] = [];
  const send = configuredFetch(
    async (_input, init) => {
      sent.push(new Headers(init?.headers).get('anthropic-beta'));
      return new Response();
    },
    { headers: { 'anthropic-beta': 'mine' } },
  );
  await send('http://127.0.0.1/', { headers: { 'anthropic-beta': 'theirs' } });
  await send('http://127.0.0.1/');
  expect(sent).toEqual(['theirs, mine', 'mine']);
});

test('configured fields are merged into the body: objects merge, null removes, the rest is replaced', async () => {
  const { body } = await requestWith({
    body: {
      stream_options: { include_usage: null, extra: true },
      provider: { only: ['a'] },
      model: 'another',
    },
  });
  expect(body.stream_options).toEqual({ extra: true });
  expect(body.provider).toEqual({ only: ['a'] });
  expect(body.model).toBe('another');
  expect(body.stream).toBe(true);
  expect(body.messages.at(-1)).toEqual({ role: 'user', content: 'Hello.' });
});
