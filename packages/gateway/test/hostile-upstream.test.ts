import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { observedUsage } from '../src/proxy/chunk-facts.ts';
import { askServer } from '../src/upstream/ask-server.ts';
import { Upstream } from '../src/upstream/upstream.ts';
import { startRecordingUpstream } from './recording-upstream.ts';
import { startTestGateway } from './start-test-gateway.ts';

const QUESTION = { body: { content: 'the prompt' }, apiKey: 'own-key', signal: undefined, timeoutMs: 60_000 };

/** Writes until the client hangs up. */
async function flood(response: ServerResponse, piece: string): Promise<void> {
  while (!response.destroyed) {
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
}

/** Starts an upstream that answers with `start`, and then floods. */
async function startFlooding(start: (response: ServerResponse) => void, piece: string) {
  const hungUp = Promise.withResolvers<void>();
  const server = await startRecordingUpstream((_request, response) => {
    response.once('close', hungUp.resolve);
    start(response);
    return flood(response, piece);
  });
  return Object.assign(server, { hungUp: hungUp.promise });
}

test('a question to an upstream follows no redirect to another origin', async () => {
  await using other = await startRecordingUpstream(
    (_request, response) => void response.end('{"tokens":[1]}'),
  );
  await using server = await startRecordingUpstream((_request, response) => {
    response.writeHead(307, { location: `${other.url}/tokenize` }).end();
  });
  const upstream = new Upstream({ name: 'one', baseUrl: server.url });
  expect(await askServer(upstream, '/tokenize', QUESTION)).toBeUndefined();
  expect([server.received.length, other.received]).toEqual([1, []]);
});

test.each(
  [301, 302, 303, 307, 308].flatMap((status) =>
    ['/chat/completions', '/embeddings'].map((path) => [status, path] as const),
  ),
)('a redirect with status %i of %s is neither followed nor passed on', async (status, path) => {
  await using other = await startRecordingUpstream((_request, response) => void response.end('{}'));
  await using server = await startRecordingUpstream((_request, response) => {
    response.writeHead(status, { location: `${other.url}/elsewhere?key=secret` }).end();
  });
  await using gateway = await startTestGateway(server.url);
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer of-client' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] }),
  });
  expect([answer.redirected, answer.headers.get('location'), answer.ok]).toEqual([false, null, false]);
  const text = await answer.text();
  expect(text).toContain(`redirects the request to ${new URL(other.url).origin}. Nothing was sent there`);
  expect(text).not.toContain('secret');
  expect([server.received.length, other.received]).toEqual([1, []]);
});

test('an endless answer to a question is given up', async () => {
  await using server = await startFlooding(() => {}, `${' '.repeat(10_000)}\n\n`);
  const upstream = new Upstream({ name: 'one', baseUrl: server.url });
  expect(await askServer(upstream, '/tokenize', QUESTION)).toBeUndefined();
  await server.hungUp;
});

test('what follows an error in a stream is read up to a limit', async () => {
  await using server = await startFlooding(
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"error":{"message":"no","code":400}}\n\n');
    },
    `: ${'x'.repeat(60_000)}\n`,
  );
  const gateway = await startTestGateway(server.url);
  const answer = await fetch(`${gateway.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] }),
  });
  expect((await answer.text()).length).toBeLessThan(6 << 20);
  await server.hungUp;
  await gateway.close();
});

test.each([-5, 0, 1e308, 12.5, 100_000_001, '12'])('a prompt of %j tokens is an unknown usage', (tokens) => {
  expect(observedUsage({ prompt_tokens: tokens, completion_tokens: 5 })).toBeUndefined();
});

test.each([-5, 1e308, 0.5])('%j tokens of an answer are unknown', (tokens) => {
  expect(observedUsage({ prompt_tokens: 7, completion_tokens: tokens })).toEqual({ promptTokens: 7 });
});
