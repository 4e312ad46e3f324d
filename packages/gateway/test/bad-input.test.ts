import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createPersonaServer, type Script } from '@longhaul/scripted-model';
import { expect, test } from 'vitest';
import { mapCache } from './compaction-support.ts';
import { rawRequest } from './raw-client.ts';
import { startBoth, startTestGateway, type TestGateway } from './start-test-gateway.ts';

const postJson = { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } } as const;

const yes: Script = ({ asksForSummary }) => (asksForSummary ? 'All is said.' : 'Yes.');

/** Returns the error that the client gets, and checks that the log has the same message. */
async function refused(gateway: TestGateway, body: string) {
  const answer = await rawRequest(gateway.url, { body });
  const { error } = JSON.parse(answer.body.toString());
  expect(error).toEqual({
    message: expect.any(String),
    type: expect.any(String),
    param: null,
    code: expect.any(String),
  });
  const entry = gateway.logged.findLast(({ level }) => level === 'error');
  expect(entry?.message).toBe(error.message);
  return { status: answer.status, code: error.code, message: error.message };
}

const hi = (more: object = {}) =>
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...more });

test.each([
  ['malformed JSON', '{"model":"m","messages":[', /not valid JSON/],
  ['an empty body', '', /not valid JSON/],
  ['a list', '[1]', /must be a JSON object/],
  ['no messages', '{"model":"m"}', /"messages" must be a list/],
  ['an empty list', '{"model":"m","messages":[]}', /"messages" must be a list/],
  [
    'a message that is null',
    '{"messages":[{"role":"user","content":"x"},null]}',
    /"messages\[1\]" must be an object/,
  ],
])('refuses %s', async (_, body, message) => {
  await using both = await startBoth(() => {});
  expect(await refused(both.gateway, body)).toEqual({
    status: 400,
    code: 'invalid_request',
    message: expect.stringMatching(message),
  });
  expect(both.upstream.received).toEqual([]);
});

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each([
  ['content', (deep: string) => `{"messages":[{"role":"user","content":${deep}}]}`],
  [
    'arguments',
    (deep: string) => `{"messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":${deep}}}]}]}`,
  ],
  [
    'a schema',
    (deep: string) =>
      `{"messages":[{"role":"user","content":"x"}],"tools":[{"function":{"parameters":${deep}}}]}`,
  ],
  ['an unknown field', (deep: string) => `{"messages":[{"role":"user","content":"x"}],"more":${deep}}`],
])('refuses 20,000 levels of nesting in %s, and passes 400', async (_where, bodyOf) => {
  await using both = await startBoth((_, response) => void response.end('{}'));
  expect(await refused(both.gateway, bodyOf(nested(20_000)))).toEqual({
    status: 400,
    code: 'invalid_request',
    message: 'The body has more than 500 levels of nesting.',
  });
  expect(both.upstream.received).toEqual([]);
  const body = bodyOf(nested(400));
  expect((await rawRequest(both.gateway.url, { body })).status).toBe(200);
  expect(both.upstream.received[0]?.body.toString()).toBe(body);
});

test.each(['/embeddings', '/messages', '/responses'])(
  'passes deep nesting to %s of its upstream',
  async (path) => {
    await using both = await startBoth((_, response) => void response.end('{}'));
    const body = `{"model":"local/m","input":${nested(20_000)}}`;
    const upstreams = ['local', 'two'].map((name) => ({ name, baseUrl: both.upstream.url }));
    await using gateway = await startTestGateway(both.upstream.url, { upstreams });
    const answer = await fetch(gateway.url + path, {
      ...{ method: 'POST' },
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(200);
    expect(both.upstream.received[0]?.body.toString()).toBe(body.replace('local/', ''));
  },
);

test('passes an unknown role to the upstream', async () => {
  await using both = await startBoth((_, response) => void response.writeHead(422).end('{"detail":"role"}'));
  const body = '{"messages":[{"role":"oracle","content":"x"}]}';
  const answer = await rawRequest(both.gateway.url, { body });
  expect([answer.status, answer.body.toString()]).toEqual([422, '{"detail":"role"}']);
  expect(both.upstream.received[0]?.body.toString()).toBe(body);
});

test('passes malformed messages unchanged', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'));
  const odd = [
    { role: 5, content: 5 },
    { role: 'user', content: { text: 'x' } },
    {
      role: 'user',
      content: [
        1,
        null,
        { type: 'text' },
        { type: 'image_url', image_url: 'http://x/y.png' },
        { type: 'file' },
      ],
    },
    { role: 'assistant', tool_calls: [null, { id: 1 }, { function: { arguments: {} } }], content: [] },
    { role: 'assistant', tool_calls: 'x', content: null, name: 7 },
    { role: 'tool', content: null },
    { content: 'no role' },
    {},
  ];
  for (const message of odd) {
    const body = JSON.stringify({ model: 'm', messages: [message], tools: [null, 'x'] });
    const answer = await rawRequest(both.gateway.url, { body });
    expect([answer.status, answer.body.toString()], body).toEqual([200, '{}']);
    expect(both.upstream.received.at(-1)?.body.toString()).toBe(body);
  }
});

test('refuses a body over the limit before its end', async () => {
  await using both = await startBoth(() => {}, { maxBodyBytes: 1_000 });
  for (const length of [2_000, 5_000_000])
    expect(await refused(both.gateway, hi({ user: 'x'.repeat(length) }))).toMatchObject({ status: 413 });
});

test('refuses a compressed body whose plain size is over the limit', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'), { maxBodyBytes: 100_000 });
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const body = gzipSync(hi({ padding: ' '.repeat(200_000) }));
  const answer = await rawRequest(both.gateway.url, { headers, body });
  expect([answer.status, answer.body.toString()]).toEqual([
    400,
    expect.stringContaining('larger than 100000'),
  ]);
  expect(both.upstream.received).toEqual([]);
});

test('fits 10,000 messages, tool results without calls, and a message larger than the window', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 4_096, script: yes });
  await using gateway = await startTestGateway(server.url);
  const turn = (index: number) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Number ${index}.`,
  });
  const cases = [
    Array.from({ length: 10_001 }, (_, index) => turn(index)),
    [
      { role: 'tool', tool_call_id: 'gone', content: 'A result of nothing. '.repeat(900) },
      ...Array.from({ length: 31 }, (_, index) => ({
        ...turn(index),
        content: 'A few words more. '.repeat(30),
      })),
    ],
    [{ role: 'user', content: `Read this: ${'one word after the other '.repeat(4_000)}` }],
  ];
  for (const messages of cases) {
    const answer = await rawRequest(gateway.url, { body: JSON.stringify({ model: 'm', messages }) });
    expect(JSON.parse(answer.body.toString()).choices[0].message.content).toBe('Yes.');
  }
  expect(server.overflows).toBe(0);
});

test('reports the window’s size if it is smaller than the system prompt', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 1_024, script: yes });
  await using gateway = await startTestGateway(server.url);
  const messages = [
    { role: 'system', content: 'You must obey every one of these rules. '.repeat(400) },
    { role: 'user', content: 'Hi' },
  ];
  const result = await refused(gateway, JSON.stringify({ model: 'm', messages }));
  expect(result).toMatchObject({
    status: 400,
    code: 'context_length_exceeded',
    message: expect.stringMatching(/1024/),
  });
});

test('answers 502 if the upstream is unreachable', async () => {
  await using gateway = await startTestGateway('http://127.0.0.1:9/v1');
  expect(await refused(gateway, hi())).toMatchObject({ status: 502, code: 'provider_unreachable' });
  expect(gateway.status().errors[0]).toMatchObject({
    code: 'provider_unreachable',
    upstream: 'local',
    model: 'm',
  });
  expect((await rawRequest(gateway.url, { method: 'GET', path: '/models' })).status).toBe(502);
});

test('names an upstream without a name of its own by its address', async () => {
  const upstreams = [{ name: 'upstream', baseUrl: 'http://127.0.0.1:9/v1' }];
  await using gateway = await startTestGateway('', { upstreams });
  const answer = await rawRequest(gateway.url, { body: hi() });
  expect(String(answer.body)).toContain('Cannot reach the upstream at http://127.0.0.1:9 ');
});

test.each([200, 502])('answers an error if the upstream sends HTML with status %i', async (status) => {
  await using both = await startBoth((_, response) => {
    response
      .writeHead(status, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Bad gateway</title>');
  });
  expect((await refused(both.gateway, hi())).status).toBeGreaterThanOrEqual(500);
});

const sse = { 'content-type': 'text/event-stream' };
const words =
  'data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"Half of"},"finish_reason":null}]}\n\n';

test.each([
  ['cuts the connection', (response: ServerResponse) => response.socket?.destroySoon()],
  ['ends too early', (response: ServerResponse) => void response.end()],
])('sends an error event if the upstream %s in the middle of a stream', async (_, end) => {
  const { promise: hasArrived, resolve: onChunk } = Promise.withResolvers<void>();
  await using both = await startBoth(async (__, response) => {
    response.writeHead(200, sse).write(words);
    await hasArrived;
    end(response);
  });
  const answer = await rawRequest(both.gateway.url, { body: hi({ stream: true }), onChunk });
  const [first, second] = answer.body.toString().split('\n\n');
  expect(`${first}\n\n`).toBe(words);
  expect(JSON.parse(second?.replace('data: ', '') ?? '').error.code).toBe('provider_stream_cut');
  expect(both.gateway.logged.at(-1)).toMatchObject({ level: 'error', code: 'provider_stream_cut' });
});

test('passes an error event in the middle of a stream unchanged, and records it', async () => {
  const event = 'data: {"error":{"message":"out of memory","code":500}}\n\n';
  await using both = await startBoth((_, response) => void response.writeHead(200, sse).end(words + event));
  const answer = await rawRequest(both.gateway.url, { body: hi({ stream: true }) });
  expect(answer.body.toString()).toBe(words + event);
  expect(both.gateway.status().errors).toMatchObject([{ code: 'provider_bad_response', upstream: 'local' }]);
});

test('passes broken JSON in a stream unchanged', async () => {
  const stream = `${words}data: {"id":"1","choices":[{\n\ndata: [DONE]\n\n`;
  await using both = await startBoth((_, response) => void response.writeHead(200, sse).end(stream));
  expect((await rawRequest(both.gateway.url, { body: hi({ stream: true }) })).body.toString()).toBe(stream);
});

test.each([true, false])('stops the upstream if the client disconnects (stream: %s)', async (stream) => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  await using both = await startBoth((_, response) => {
    if (stream) response.writeHead(200, sse).write(words);
    arrive();
  });
  const request = http.request(`${both.gateway.url}/chat/completions`, postJson);
  request.on('error', () => {});
  request.end(hi({ stream }));
  await arrived;
  if (stream) await once(request, 'response');
  request.destroy();
  await expect.poll(() => both.upstream.dropped).toBe(1);
  expect(both.gateway.logged.filter(({ level }) => level === 'error')).toEqual([]);
});

test('slows the upstream down for a slow client instead of buffering', async () => {
  const piece = words.replace('Half of', 'x'.repeat(60_000));
  let written = 0;
  const { promise: isBlocked, resolve: block } = Promise.withResolvers<void>();
  await using both = await startBoth(async ({ url }, response) => {
    if (url.endsWith('/models')) return void response.end('{}');
    response.writeHead(200, sse);
    while (written < 200_000_000) {
      written += piece.length;
      if (response.write(piece)) continue;
      const drained = once(response, 'drain').then(() => true);
      if (!(await Promise.race([drained, roundTrips(both.gateway.url).then(() => false)]))) break;
    }
    block();
  });
  // In the time of so many answers, the gateway reads what it has room for.
  const roundTrips = async (url: string) => {
    for (let round = 0; round < 50; round += 1) await rawRequest(url, { method: 'GET', path: '/models' });
  };
  const request = http.request(`${both.gateway.url}/chat/completions`, postJson);
  request.on('error', () => {});
  request.end(hi({ stream: true }));
  // The client reads the head and nothing more.
  await once(request, 'response');
  await isBlocked;
  expect(written).toBeLessThan(60_000_000);
  request.destroy();
});

test('stops the compacting model if the client disconnects', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  await using both = await startBoth(() => ask());
  const messages = Array.from({ length: 101 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${'so many words. '.repeat(30)}`,
  }));
  const request = http.request(`${both.gateway.url}/chat/completions`, postJson);
  request.on('error', () => {});
  request.end(hi({ messages, stream: true }));
  await asked;
  request.destroy();
  await expect.poll(() => both.upstream.dropped).toBe(1);
  expect(both.upstream.received).toHaveLength(1);
});

test.each([
  ['writes without end', () => 'and on and on '.repeat(2_000)],
  ['answers nothing', () => ''],
])('answers even if the compacting model %s', async (_, narrative) => {
  await using server = await createPersonaServer({
    persona: 'llamacpp',
    windowTokens: 4_096,
    script: ({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('Last question') ? 'Yes.' : narrative(),
  });
  await using gateway = await startTestGateway(server.url);
  const messages = Array.from({ length: 100 }, (_unused, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${'so many words. '.repeat(30)}`,
  }));
  messages.push({ role: 'user', content: 'Last question?' });
  const answer = await rawRequest(gateway.url, { body: JSON.stringify({ model: 'm', messages }) });
  expect(JSON.parse(answer.body.toString()).choices[0].message.content).toBe('Yes.');
  expect(server.requests.length).toBeLessThan(8);
  expect(gateway.logged.some(({ level }) => level === 'warn')).toBe(true);
});

test('answers even if the cache fails', async () => {
  await using server = await createPersonaServer({ persona: 'llamacpp', windowTokens: 4_096, script: yes });
  const fail = async () => {
    throw new Error('disk full');
  };
  await using gateway = await startTestGateway(server.url, {
    cache: { ...mapCache(), getFirst: fail, get: fail, set: fail },
  });
  const messages = Array.from({ length: 101 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${'so many words. '.repeat(30)}`,
  }));
  const answer = await rawRequest(gateway.url, { body: JSON.stringify({ model: 'm', messages }) });
  expect(answer.status).toBe(200);
});
