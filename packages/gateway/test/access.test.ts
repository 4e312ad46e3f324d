import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { readBody } from '../src/http/read-body.ts';
import { rawRequest } from './raw-client.ts';
import { startBoth, startTestGateway } from './start-test-gateway.ts';

const hi = () => JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });

test('accepts only requests with the token, and never passes it to the upstream', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'), { token: 'let-me-in' });
  const request = (authorization: string) =>
    rawRequest(both.gateway.url, { body: hi(), headers: { authorization } });
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

test('refuses a request of another site that needs no preflight', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'));
  const from = async (origin: string, type: string) =>
    (await rawRequest(both.gateway.url, { body: hi(), headers: { origin, 'content-type': type } })).status;
  expect(await from('https://evil.example', 'text/plain')).toBe(403);
  expect(await from('https://chat.example', 'application/json')).toBe(200);
  expect(await from('http://localhost:3000', 'text/plain')).toBe(200);
});

test('requires a token at an address that other machines can reach', async () => {
  await expect(startTestGateway('http://127.0.0.1:9/v1', { host: '0.0.0.0' })).rejects.toThrow(
    /LONGHAUL_GATEWAY_TOKEN/,
  );
});

test('refuses a content type of another site that only mentions JSON', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'));
  for (const type of ['text/plain; x=json', 'text/plain;json', 'application/x-www-form-urlencoded;json']) {
    const headers = { origin: 'https://evil.example', 'content-type': type };
    expect((await rawRequest(both.gateway.url, { body: hi(), headers })).status, type).toBe(403);
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
      headers: { 'transfer-encoding': 'chunked' },
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

test('lets a page read the gateway’s own answers, and passes a preflight without a token', async () => {
  await using both = await startBoth((_, response) => void response.end('{}'), { token: 'let-me-in' });
  const origin = 'https://chat.example';
  const asking = { origin, 'access-control-request-method': 'POST' };
  const preflight = await rawRequest(both.gateway.url, { method: 'OPTIONS', headers: asking });
  expect(preflight.status).toBe(200);
  const allowed = async (body: string, authorization: string) => {
    const headers = { origin, authorization, 'content-type': 'application/json' };
    const { status, rawHeaders } = await rawRequest(both.gateway.url, { body, headers });
    const at = rawHeaders.findIndex((name) => name.toLowerCase() === 'access-control-allow-origin');
    return [status, at === -1 ? undefined : rawHeaders[at + 1]];
  };
  expect(await allowed('no JSON', 'Bearer let-me-in')).toEqual([400, origin]);
  expect(await allowed(hi(), 'Bearer wrong')).toEqual([401, origin]);
  const plain = await rawRequest(both.gateway.url, { body: hi(), headers: { origin } });
  expect(plain.rawHeaders.join()).not.toContain('allow-origin');
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
