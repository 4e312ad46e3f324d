import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { readBody } from '../src/http/read-body.ts';
import { rawRequest } from './raw-client.ts';
import { startBoth, startTestGateway } from './start-test-gateway.ts';

const hi = () => JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });

test('accepts only requests with the token, and never passes it to the upstream', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'), { token: 'let-me-in' });
  const request = (authorization: string) =>
    rawRequest(both.gateway.url, {
      body: hi(),
      headers: { authorization, 'content-type': 'application/json' },
    });
  expect((await request('Bearer wrong')).status).toBe(401);
  expect((await request('Bearer let-me-in')).status).toBe(200);
  expect(both.upstream.received).toHaveLength(1);
  expect(both.upstream.received[0]?.rawHeaders.join(' ')).not.toContain('let-me-in');
});

test('refuses a page whose own name resolves to this machine', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'));
  const answer = await rawRequest(both.gateway.url, { body: hi(), headers: { host: 'evil.example:4141' } });
  expect(answer.status).toBe(403);
  expect(both.upstream.received).toEqual([]);
});

test('refuses requests of pages of other sites, and accepts those of this machine', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'));
  const from = async (origin: string, type: string) =>
    (await rawRequest(both.gateway.url, { body: hi(), headers: { origin, 'content-type': type } })).status;
  expect(await from('https://evil.example', 'text/plain')).toBe(403);
  expect(await from('https://evil.example', 'application/json')).toBe(403);
  expect(await from('null', 'application/json')).toBe(403);
  expect(await from('http://localhost.evil.example', 'application/json')).toBe(403);
  expect(both.upstream.received).toEqual([]);
  for (const origin of [
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://[::1]:8080',
    'tauri://localhost',
  ])
    expect(await from(origin, 'application/json'), origin).toBe(200);
});

test('requires a token at an address that other machines can reach', async () => {
  await expect(startTestGateway('http://127.0.0.1:9/v1', { host: '0.0.0.0' })).rejects.toThrow(
    /LONGHAUL_GATEWAY_TOKEN/,
  );
});

const typed = (type: string): Record<string, string> => (type === '' ? {} : { 'content-type': type });

test('refuses a body that does not declare its type, or only mentions JSON', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'));
  for (const type of ['text/plain; x=json', 'text/plain;json', 'application/x-www-form-urlencoded;json']) {
    const headers = { origin: 'https://evil.example', 'content-type': type };
    expect((await rawRequest(both.gateway.url, { body: hi(), headers })).status, type).toBe(403);
    const own = { 'content-type': type };
    expect((await rawRequest(both.gateway.url, { body: hi(), headers: own })).status, type).toBe(415);
  }
  for (const path of ['/completions', '/embeddings']) {
    for (const type of ['', 'text/plain'])
      expect(
        (await rawRequest(both.gateway.url, { path, body: hi(), headers: typed(type) })).status,
        path,
      ).toBe(415);
  }
  expect(both.upstream.received).toEqual([]);
});

test('never lets a chunked body become a second request to the upstream, for any method', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'));
  const body = 'DELETE /api/delete HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';
  for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST']) {
    await rawRequest(both.gateway.url, {
      method,
      path: '/files/1',
      headers: { 'transfer-encoding': 'chunked', 'content-type': 'application/octet-stream' },
      body,
    });
  }
  expect(both.upstream.received.map(({ url }) => url)).toEqual(Array(4).fill('/v1/files/1'));
  expect(both.upstream.received.map((received) => received.body.toString())).toEqual(Array(4).fill(body));
});

/** Sends raw text, since an HTTP client would normalize the path. */
async function sendText(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  return (await readBody(socket, 1 << 20)).toString();
}

test('does not pass on a path that leads out of the API', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'));
  const get = (path: string) =>
    sendText(both.gateway.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  for (const path of ['/../api/tags', '/%2e%2E/api/tags', '/x/..%2f..%2Fapi/tags', '/x\\..\\..\\api', '/.'])
    expect(await get(`/v1${path}`), path).toMatch(/^HTTP\/1\.1 404 /);
  expect(await get('/v1/models/a..b/.c')).toMatch(/^HTTP\/1\.1 200 /);
  expect(both.upstream.received).toHaveLength(1);
});

const headerIn = (rawHeaders: readonly string[], wanted: string) => {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);
  return at === -1 ? undefined : rawHeaders[at + 1];
};

test('answers the preflight of a configured origin without a token, and lets its pages read every answer', async () => {
  const origin = 'https://chat.example';
  await using both = await startBoth((_, response) => void response.end('{}'), {
    token: 'let-me-in',
    origins: [origin],
  });
  const preflight = (from: string) =>
    rawRequest(both.gateway.url, {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type',
      },
    });
  const allowed = await preflight(origin);
  expect(allowed.status).toBe(204);
  expect(headerIn(allowed.rawHeaders, 'access-control-allow-origin')).toBe(origin);
  expect(headerIn(allowed.rawHeaders, 'access-control-allow-headers')).toBe('authorization, content-type');
  expect((await preflight('https://evil.example')).status).toBe(403);
  expect(both.upstream.received).toEqual([]);
  const answers = async (body: string, authorization: string, from = origin) => {
    const headers = { origin: from, authorization, 'content-type': 'application/json' };
    const { status, rawHeaders } = await rawRequest(both.gateway.url, { body, headers });
    return [status, headerIn(rawHeaders, 'access-control-allow-origin')];
  };
  expect(await answers('no JSON', 'Bearer let-me-in')).toEqual([400, origin]);
  expect(await answers(hi(), 'Bearer wrong')).toEqual([401, origin]);
  expect(await answers(hi(), 'Bearer let-me-in')).toEqual([200, origin]);
  expect(await answers(hi(), 'Bearer let-me-in', 'https://evil.example')).toEqual([403, undefined]);
});

test('refuses requests of other sites that carry no origin, except a visit of the status page', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'));
  const root = both.gateway.url.replace('/v1', '');
  const get = async (path: string, headers: Record<string, string>) =>
    (await rawRequest(root, { method: 'GET', path, headers: { 'sec-fetch-site': 'cross-site', ...headers } }))
      .status;
  expect(await get('/v1/models', { 'sec-fetch-mode': 'no-cors' })).toBe(403);
  expect(await get('/v1/models', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).toBe(403);
  expect(await get('/status', { 'sec-fetch-mode': 'no-cors' })).toBe(403);
  expect(await get('/status', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' })).toBe(403);
  expect(await get('/status', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).toBe(200);
  expect(both.upstream.received).toEqual([]);
});

test('requires the token for every path and method, and knows no other host name without one', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'), { token: 'let-me-in' });
  const root = both.gateway.url.replace('/v1', '');
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    for (const path of ['/', '/status', '/v1', '/v1/models', '/v1/chat/completions', '/v1/files/1', '/other'])
      for (const [name, value] of [
        ['x', 'y'],
        ['authorization', 'Bearer let-me-i'],
        ['x-api-key', 'let-me-in'],
      ] as const)
        expect(
          (await rawRequest(root, { method, path, headers: { [name]: value } })).status,
          `${method} ${path}`,
        ).toBe(401);
  expect(both.upstream.received).toEqual([]);
  const byName = { host: 'host.docker.internal:4141', authorization: 'Bearer let-me-in' };
  expect(
    (await rawRequest(both.gateway.url, { method: 'GET', path: '/models', headers: byName })).status,
  ).toBe(200);
  await using open = await startBoth((_, response) => void response.end('{}'), { hosts: ['box.lan'] });
  const named = async (host: string) =>
    (await rawRequest(open.gateway.url, { method: 'GET', path: '/models', headers: { host } })).status;
  expect([await named('box.lan:4141'), await named('192.168.1.7'), await named('evil.example')]).toEqual([
    200, 200, 403,
  ]);
});

test('answers an HTTP/1.0 request without a Host header', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'));
  expect(await sendText(both.gateway.port, 'GET /v1/models HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
});

test('makes a browser ask for the token, which opens the status page only', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'), { token: 'let-me-in' });
  const root = both.gateway.url.replace('/v1', '');
  const get = (path: string, headers: Record<string, string>) =>
    rawRequest(root, { method: 'GET', path, headers: { accept: 'text/html', ...headers } });
  const asked = await get('/status', {});
  expect(asked.status).toBe(401);
  expect(asked.rawHeaders.join()).toContain('www-authenticate,Basic');
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  expect((await get('/status', basic('me:let-me-in'))).body.toString()).toContain('Longhaul gateway');
  expect((await get('/status', basic('me:wrong'))).status).toBe(401);
  expect((await get('/v1/models', basic('me:let-me-in'))).status).toBe(401);
  expect(both.upstream.received).toEqual([]);
});
