import type { ServerResponse } from 'node:http';
import { noisePng } from '@longhaul/testing/doubles';
import { expect, onTestFinished, test } from 'vitest';
import { startChatServer } from '../test/chat-server.ts';
import { collect, MODEL_INFO, requestOf, userSays } from '../test/drive.ts';
import { createModelDriver } from './model-driver.ts';
import type { ProviderKind } from './wire-profile.ts';

const READ = {
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object' as const, properties: { path: { type: 'string' } } },
};

interface Sent {
  path: string;
  body: Record<string, unknown>;
}

async function counting(
  kind: ProviderKind,
  settings: { driver?: 'ai-sdk' | 'native' },
  answer: (response: ServerResponse) => void,
) {
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.answer(answer);
  const sent: Sent[] = [];
  const driver = await createModelDriver({
    kind,
    provider: kind,
    model: 'big-model',
    baseUrl: server.url,
    apiKey: 'key',
    info: MODEL_INFO,
    settings,
    // A configured field that the operation does not know must not make it fail.
    extras: { body: { temperature: 0.5 } },
    fetch: (input, init) => {
      sent.push({ path: new URL(String(input)).pathname, body: JSON.parse(String(init?.body)) });
      return fetch(input, init);
    },
  });
  return { driver, sent };
}

const json =
  (body: object, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

const request = (signal = new AbortController().signal) =>
  requestOf([userSays('Count me.')], { system: 'Be terse.', tools: [READ], maxOutputTokens: 100, signal });

const CASES = [
  ['anthropic', 'ai-sdk', '/v1/messages/count_tokens', { input_tokens: 1234 }],
  ['anthropic', 'native', '/v1/messages/count_tokens', { input_tokens: 1234 }],
  ['openai', 'ai-sdk', '/v1/responses/input_tokens', { object: 'response.input_tokens', input_tokens: 1234 }],
  ['openai', 'native', '/v1/responses/input_tokens', { object: 'response.input_tokens', input_tokens: 1234 }],
  ['google', 'ai-sdk', '/v1/models/big-model:countTokens', { totalTokens: 1234 }],
] as const;

test.each(CASES)('%s (%s): asks for the tokens of the request as it would be sent', async (...each) => {
  const [kind, driverName, path, answer] = each;
  const { driver, sent } = await counting(kind, { driver: driverName }, json(answer));
  expect(await driver.countTokens?.(request())).toBe(1234);
  expect(sent.map((one) => one.path)).toEqual([path]);
  const body = JSON.stringify(sent[0]?.body);
  for (const piece of ['Count me.', 'Be terse.', 'Reads a file.', 'big-model']) expect(body).toContain(piece);
  if (kind !== 'google')
    expect(body).not.toMatch(/"(stream|store|max_tokens|max_output_tokens|temperature|include)"/);
  else expect(sent[0]?.body).toMatchObject({ generateContentRequest: { model: 'models/big-model' } });
});

test.each(CASES)('%s (%s): gives up after a server that cannot count', async (kind, driverName) => {
  const { driver, sent } = await counting(kind, { driver: driverName }, json({ error: 'no such path' }, 404));
  expect(await driver.countTokens?.(request())).toBeUndefined();
  expect(await driver.countTokens?.(request())).toBeUndefined();
  expect(sent).toHaveLength(1);
});

test.each(CASES)('%s (%s): counts nothing in an answer of another form', async (kind, driverName) => {
  const { driver } = await counting(kind, { driver: driverName }, json({ input_tokens: 'many' }));
  expect(await driver.countTokens?.(request())).toBeUndefined();
});

test('ends with the signal of the request, and asks again in the next one', async () => {
  const controller = new AbortController();
  let answers = 0;
  const { driver } = await counting('anthropic', { driver: 'native' }, (response) => {
    answers += 1;
    if (answers === 1) controller.abort();
    else json({ input_tokens: 7 })(response);
  });
  expect(await driver.countTokens?.(request(controller.signal))).toBeUndefined();
  expect(await driver.countTokens?.(request())).toBe(7);
});

test('is absent for servers that have no such operation', async () => {
  const { driver } = await counting('openai-compatible', {}, json({}));
  expect(driver.countTokens).toBeUndefined();
});

test('counts a picture as it would be sent: scaled down', async () => {
  const { driver, sent } = await counting('anthropic', {}, json({ input_tokens: 1234 }));
  const data = noisePng(1_500, 1_300).toString('base64');
  const image = { type: 'image' as const, data, mediaType: 'image/png' };
  const asked = requestOf([{ role: 'user', content: [image] }]);
  expect(await driver.countTokens?.(asked)).toBe(1234);
  await collect(driver, asked);
  const [counted, called] = sent.map(({ body }) => JSON.stringify(body['messages']));
  expect(counted).toBe(called);
  expect(counted?.length).toBeLessThan(data.length);
});
