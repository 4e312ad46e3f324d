import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createModelDriver } from '../src/model-driver.ts';
import type { ProviderKind } from '../src/wire-profile.ts';
import { startChatServer } from './chat-server.ts';
import { collect, failureOf, MODEL_INFO, requestOf, userSays } from './drive.ts';
import { forever, type RawAnswer, says, sends } from './raw-answers.ts';

const CLIENTS: readonly [ProviderKind, 'ai-sdk' | 'native'][] = [
  ['anthropic', 'ai-sdk'],
  ['anthropic', 'native'],
  ['openai', 'ai-sdk'],
  ['openai', 'native'],
  ['google', 'ai-sdk'],
  ['openai-compatible', 'ai-sdk'],
  ['openai-compatible', 'native'],
];
const KEYED = CLIENTS.filter(([kind]) => kind !== 'openai-compatible');

async function startServer() {
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

async function driverOn(baseUrl: string, kind: ProviderKind, driver: 'ai-sdk' | 'native') {
  return createModelDriver({
    kind,
    provider: kind,
    model: 'big-model',
    baseUrl,
    apiKey: 'own-key',
    info: MODEL_INFO,
    settings: { driver },
    extras: { headers: { 'x-team': 'secret-team' } },
  });
}

test.each(CLIENTS)('%s, %s: a redirect to another origin carries no key and no prompt', async (...client) => {
  const [server, other] = [await startServer(), await startServer()];
  server.answer(sends([307, { location: `${other.url}/elsewhere` }], ''));
  const driver = await driverOn(server.url, ...client);
  const error = await failureOf(driver);
  expect(error.code).toBe('provider_bad_request');
  expect(error.message).toContain(`redirects the request to ${new URL(other.url).origin}. `);
  expect(error.message).toContain(`baseUrl of the provider ${client[0]}`);
  expect([server.requests.length, other.requests]).toEqual([1, []]);
});

test.each(KEYED)('%s, %s: neither does a redirect of a token count', async (...client) => {
  const [server, other] = [await startServer(), await startServer()];
  server.answer(sends([307, { location: `${other.url}/elsewhere` }], ''));
  const driver = await driverOn(server.url, ...client);
  expect(await driver.countTokens?.(requestOf([userSays('Count me.')]))).toBeUndefined();
  expect([server.requests.length, other.requests]).toEqual([1, []]);
});

/** Sends an answer without an end, and reports when the client hangs up. */
function endless(head: [number, Record<string, string>], piece: string) {
  const hungUp = Promise.withResolvers<void>();
  const more = forever(() => piece);
  const answer: RawAnswer = (response: ServerResponse) => {
    response.once('close', hungUp.resolve);
    response.writeHead(...head);
    response.writeHead = () => response;
    more(response);
  };
  return { answer, hungUp: hungUp.promise };
}

const JSON_HEAD = { 'content-type': 'application/json' };

test.each(CLIENTS)('%s, %s: an error without end is cut, and closes the connection', async (...client) => {
  const server = await startServer();
  const { answer, hungUp } = endless([400, JSON_HEAD], `{"error":{"message":"no${'x'.repeat(10_000)}`);
  server.answer(answer);
  const error = await failureOf(await driverOn(server.url, ...client));
  expect(error.code).toBe('provider_bad_request');
  expect(error.message.length).toBeLessThan(1_000);
  await hungUp;
});

test.each(CLIENTS)('%s, %s: an answer of one line without end fails', async (...client) => {
  const server = await startServer();
  const { answer, hungUp } = endless(
    [200, { 'content-type': 'text/event-stream' }],
    'data: x'.repeat(10_000),
  );
  server.answer(answer);
  const error = await failureOf(await driverOn(server.url, ...client));
  expect(error.message).toBe(`${client[0]} sent an event of more than 16 MiB, so the answer was ended.`);
  expect(error.code).toBe('provider_bad_response');
  await hungUp;
});

test.each(CLIENTS)('%s, %s: JSON without end in place of a stream fails', async (...client) => {
  const server = await startServer();
  const { answer, hungUp } = endless([200, JSON_HEAD], `{"id":"${'x'.repeat(10_000)}`);
  server.answer(answer);
  const error = await failureOf(await driverOn(server.url, ...client));
  expect(error.code).toBe('provider_bad_request');
  await hungUp;
});

test.each(KEYED)('%s, %s: a token count without end is given up', async (...client) => {
  const server = await startServer();
  const { answer, hungUp } = endless([200, JSON_HEAD], `{"n":1}${' '.repeat(10_000)}\n\n`);
  server.answer(answer);
  const driver = await driverOn(server.url, ...client);
  expect(await driver.countTokens?.(requestOf([userSays('Count me.')]))).toBeUndefined();
  await hungUp;
});

test.each(
  (['ai-sdk', 'native'] as const).flatMap((driver) =>
    [-1_000_000, 1e308, 0.5].map((tokens) => [driver, tokens] as const),
  ),
)('openai-compatible, %s: a usage of %d tokens is unknown', async (client, tokens) => {
  const server = await startServer();
  server.answer(says('Hello.', tokens));
  const finish = (await collect(await driverOn(server.url, 'openai-compatible', client))).at(-1);
  expect(finish).toMatchObject({ type: 'finish', finishReason: 'stop' });
  expect(finish).not.toHaveProperty('usage');
});
