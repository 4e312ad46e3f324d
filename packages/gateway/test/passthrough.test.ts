import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { REQUESTS } from './fixtures/requests.ts';
import { type RawRequest, rawRequest } from './raw-client.ts';
import { type RecordingUpstream, startRecordingUpstream } from './recording-upstream.ts';
import { startTestGateway } from './start-test-gateway.ts';

const ANSWER =
  '{ "id":"x","choices":[ {"index":0,"message":{"role":"assistant","content":"é"},"logprobs":{"content":[]},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"big":12345678901234567890} }\n';
const WINDOW = { '/props': { default_generation_settings: { n_ctx: 100_000 } } };

/** Starts an upstream that reports a window, so that its requests are counted, and a gateway in front of it. */
async function startPair(
  answer: Parameters<typeof startRecordingUpstream>[0],
  compaction = true,
  options = {},
) {
  const upstream = await startRecordingUpstream(answer, WINDOW);
  const upstreams = [{ name: 'local', baseUrl: upstream.url, compaction }];
  const gateway = await startTestGateway(upstream.url, { upstreams, ...options });
  return {
    upstream,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

const json = { 'content-type': 'application/json' };

/** Removes headers of the connection, `host` and `date`. */
function endToEnd(raw: readonly string[]): string[] {
  const pairs = Array.from(
    { length: raw.length / 2 },
    (_, index) => `${raw[index * 2]}: ${raw[index * 2 + 1]}`,
  );
  return pairs.filter((header) => !/^(?:host|connection|keep-alive|transfer-encoding|date):/i.test(header));
}

async function bothWays(upstream: RecordingUpstream, url: string, request: Parameters<typeof rawRequest>[1]) {
  const direct = await rawRequest(upstream.url, request);
  const through = await rawRequest(url, request);
  const [sentDirectly, sentThrough] = upstream.received.slice(-2);
  if (sentDirectly === undefined || sentThrough === undefined) throw new Error('No request has arrived.');
  return { direct, through, sentDirectly, sentThrough };
}

test.each([true, false])('passes requests and answers byte for byte (compaction: %s)', async (compaction) => {
  const answer = (_: unknown, response: ServerResponse) =>
    void response
      .writeHead(200, 'Fine', { 'Content-Type': 'application/json', 'X-Odd': ['1', '2'] })
      .end(ANSWER);
  await using both = await startPair(answer, compaction);
  for (const [name, body] of Object.entries(REQUESTS)) {
    const headers = {
      ...json,
      'X-Custom': ['a', 'b'],
      Authorization: 'Bearer k',
      'Accept-Encoding': 'gzip',
    };
    const { direct, through, sentDirectly, sentThrough } = await bothWays(both.upstream, both.gateway.url, {
      headers,
      body,
    });
    expect(sentThrough.body.toString(), name).toBe(body);
    expect(endToEnd(sentThrough.rawHeaders).toSorted()).toEqual(endToEnd(sentDirectly.rawHeaders).toSorted());
    expect(through.body.toString()).toBe(ANSWER);
    expect(endToEnd(through.rawHeaders)).toEqual(endToEnd(direct.rawHeaders));
    expect(through.status).toBe(200);
  }
});

test('passes other paths, methods, queries and statuses', async () => {
  const answer = (request: { url: string; method: string }, response: ServerResponse) => {
    response.writeHead(request.url.includes('teapot') ? 418 : 200, { 'access-control-allow-origin': '*' });
    response.end(request.method === 'HEAD' ? '' : `${request.method} ${request.url}`);
  };
  await using both = await startPair(answer);
  const paths: RawRequest[] = [
    { method: 'GET', path: '/models' },
    { method: 'GET', path: '/models/a%2Fb?x=%20y' },
    { method: 'HEAD', path: '/models' },
    { method: 'OPTIONS', path: '/chat/completions', headers: { Origin: 'http://127.0.0.1' } },
    { method: 'POST', path: '/completions', body: '{"prompt":"x"}' },
    { method: 'POST', path: '/embeddings?teapot', body: '{"input":"x"}' },
    { method: 'DELETE', path: '/files/1' },
    {
      method: 'POST',
      path: '/audio/transcriptions',
      body: Buffer.from([0, 255, 1]),
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    },
  ];
  for (const request of paths) {
    const { direct, through, sentDirectly, sentThrough } = await bothWays(
      both.upstream,
      both.gateway.url,
      request,
    );
    expect(sentThrough).toMatchObject({
      method: sentDirectly.method,
      url: sentDirectly.url,
      body: sentDirectly.body,
    });
    expect(through).toMatchObject({ status: direct.status, body: direct.body });
    expect(endToEnd(through.rawHeaders)).toEqual(endToEnd(direct.rawHeaders));
  }
});

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, logprobs: null, finish_reason: null }], ...more })}\n\n`;

/** A stream as vLLM sends it: if usage was requested, with `"usage":null` in every chunk and one more chunk. */
function streamOf(body: string): string[] {
  const asksForUsage = /"include_usage":\s*true/.test(body);
  const usage = asksForUsage ? { usage: null } : {};
  const end = {
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [],
    usage: { prompt_tokens: 9, completion_tokens: 2 },
  };
  return [
    ': ping\n\n',
    chunk({ role: 'assistant', content: '' }, usage),
    chunk({ content: 'Say "usage":null, é' }, usage) + chunk({ content: '!' }, usage),
    `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]${asksForUsage ? ', "usage": null' : ''}}\n\n`,
    `${asksForUsage ? `data: ${JSON.stringify(end)}\n\n` : ''}data: [DONE]\n\n`,
  ];
}

/** Each piece is sent when the client has received the previous one, so that none are merged on the way. */
let hasArrived = Promise.withResolvers<void>();
const onChunk = () => hasArrived.resolve();

async function streamAnswer(request: { body: Buffer }, response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of streamOf(request.body.toString())) {
    hasArrived = Promise.withResolvers<void>();
    response.write(piece);
    await hasArrived.promise;
  }
  response.end();
}

test('keeps the bytes and chunks of a stream, whether or not the client requests usage', async () => {
  await using both = await startPair(streamAnswer);
  for (const options of [
    '',
    ',"stream_options":{"include_usage":true}',
    ',"stream_options":{"include_usage": false}',
  ]) {
    const body = `{"model":"m","stream":true${options},"messages":[{"role":"user","content":"Hi"}]}`;
    const { direct, through, sentThrough } = await bothWays(both.upstream, both.gateway.url, {
      body,
      onChunk,
    });
    expect(through.chunks.map(String)).toEqual(direct.chunks.map(String));
    expect(JSON.parse(sentThrough.body.toString()).stream_options).toEqual({ include_usage: true });
  }
});

test('does not change a stream request without learnUsage', async () => {
  await using both = await startPair(streamAnswer, true, { learnUsage: false });
  const body = '{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}';
  const { direct, through, sentThrough } = await bothWays(both.upstream, both.gateway.url, { body, onChunk });
  expect(sentThrough.body.toString()).toBe(body);
  expect(through.chunks.map(String)).toEqual(direct.chunks.map(String));
});

test('retries without stream_options if the upstream refuses them, and stops sending them', async () => {
  await using both = await startPair((request, response) => {
    if (!request.body.includes('stream_options')) return streamAnswer(request, response);
    response.writeHead(400, json).end('{"error":{"message":"Unknown field: stream_options"}}');
  });
  const body = '{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}';
  for (const _ of [1, 2]) expect((await rawRequest(both.gateway.url, { body, onChunk })).status).toBe(200);
  expect(both.upstream.received.map((request) => request.body.includes('stream_options'))).toEqual([
    true,
    false,
    false,
  ]);
});

test('passes a compressed request unchanged, and decompresses a compressed stream', async () => {
  const body = gzipSync('{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}');
  await using both = await startPair((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
    response.end(gzipSync(streamOf('').join('')));
  });
  const headers = { ...json, 'content-encoding': 'gzip', 'accept-encoding': 'gzip' };
  const through = await rawRequest(both.gateway.url, { body, headers });
  expect(both.upstream.received.at(-1)?.body).toEqual(body);
  expect(through.body.toString()).toBe(streamOf('').join(''));
});

test('passes an error of the upstream unchanged', async () => {
  await using both = await startPair((_, response) => {
    response.writeHead(429, 'Slow down', { ...json, 'retry-after': '7' }).end('{"error": "slow" }');
  });
  const { direct, through } = await bothWays(both.upstream, both.gateway.url, {
    body: REQUESTS['minimal'] ?? '',
  });
  expect(through).toMatchObject({ status: 429, body: direct.body });
  expect(endToEnd(through.rawHeaders)).toEqual(endToEnd(direct.rawHeaders));
  expect(both.gateway.status().errors).toMatchObject([{ code: 'provider_rate_limit', upstream: 'local' }]);
});

test('replaces the client’s key by the configured one', async () => {
  await using upstream = await startRecordingUpstream((_, response) => void response.end('{}'), WINDOW);
  const sent = async (baseUrl: string, apiKey?: string) => {
    const upstreams = [{ name: 'local', baseUrl, apiKey }];
    await using gateway = await startTestGateway('', { upstreams });
    await rawRequest(gateway.url, {
      body: REQUESTS['minimal'] ?? '',
      headers: { ...json, authorization: 'Bearer mine' },
    });
    return upstream.received
      .at(-1)
      ?.rawHeaders.filter((_, index, all) => /^authorization$/i.test(all[index - 1] ?? ''));
  };
  expect(await sent(upstream.url)).toEqual(['Bearer mine']);
  expect(await sent(upstream.url, 'theirs')).toEqual(['Bearer theirs']);
  expect(await sent(upstream.url.replace('http://', 'http://me:pass@'))).toEqual(['Basic bWU6cGFzcw==']);
});
