import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { ErrorCode } from '@longhaul/protocol';
import { errorBodySchema } from '@longhaul/protocol/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Example, exampleRequests, send } from './example-requests.ts';
import { isEvent, openStream } from './sse-client.ts';
import { startTestServer, type TestServer, TOKEN } from './test-server.ts';

const MB = 1_048_576;
const ABSENT = '01999999-9999-7999-8999-999999999999';

let server: TestServer;
let sessionId: string;
let blobId: string;
let examples: Example[];

beforeAll(async () => {
  server = await startTestServer({ limits: { jsonBytes: MB, uploadBytes: 2 * MB } });
  sessionId = await server.newSession();
  const image = Buffer.from('not really an image').toString('base64');
  await server.call('POST', `/api/sessions/${sessionId}/messages`, {
    content: [{ type: 'image', data: image, mediaType: 'image/png' }],
  });
  // A run that is still active would deliver the messages that the tests queue.
  await using stream = await openStream(`${server.url}/api/sessions/${sessionId}/events?after=0`);
  await stream.until(isEvent('run:finished'));
  const { messages } = await server.store.readMessages(sessionId, { limit: 1, after: 0 });
  const part = messages[0]?.parts[0];
  blobId = part?.type === 'file' ? part.data.replace('@blob:', '') : '';
  examples = exampleRequests({ sessionId, blobId });
});
afterAll(() => server[Symbol.asyncDispose]());

async function expectError(response: Response, status: number, code?: ErrorCode): Promise<void> {
  const text = await response.text();
  expect([response.status, text]).toEqual([status, expect.any(String)]);
  const { error } = errorBodySchema.parse(JSON.parse(text));
  if (code !== undefined) expect(error.code).toBe(code);
  expect(text).not.toMatch(/\bat .*\.(?:ts|js):\d+|node_modules/);
}

/** Sends a request over a plain socket that `fetch` would not send. */
async function raw(text: string): Promise<string> {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
    if (/\r\n\r\n[\s\S]+/.test(answer)) socket.end();
  });
  socket.on('error', () => {});
  await once(socket, 'close');
  return answer;
}

const closed = () => examples.filter(({ route }) => route.isPublic !== true);
const withBody = () => examples.filter(({ body }) => body !== undefined);
const withJson = () => withBody().filter(({ route }) => route.consumes === undefined);

describe('every operation', () => {
  it('refuses a request without a token, with a wrong token, and with the token in the URL', async () => {
    for (const example of closed()) {
      await expectError(await send(server, example, { token: null }), 401, 'unauthorized');
      await expectError(await send(server, example, { token: `${TOKEN}x` }), 401, 'unauthorized');
      const mark = example.path.includes('?') ? '&' : '?';
      const inAddress = { ...example, path: `${example.path}${mark}token=${TOKEN}` };
      await expectError(await send(server, inAddress, { token: null }), 401, 'unauthorized');
      await expectError(
        await send(server, example, { token: null, headers: { authorization: `Basic ${TOKEN}` } }),
        401,
        'unauthorized',
      );
    }
  });

  it('refuses another host name and the pages of another site, even for operations without a token', async () => {
    const { hostname, port } = new URL(server.url);
    for (const example of examples) {
      const head = `${example.method} ${example.path} HTTP/1.1\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n`;
      expect(await raw(`${head}Host: evil.example:${port}\r\n\r\n`)).toContain('403 Forbidden');
      expect(await raw(`${head}Host: ${hostname}.evil.example\r\n\r\n`)).toContain('403 Forbidden');
      for (const origin of ['https://evil.example', 'null', `http://${hostname}:1`]) {
        await expectError(await send(server, example, { headers: { origin } }), 403, 'forbidden');
      }
      for (const site of ['cross-site', 'same-site']) {
        const other = { headers: { 'sec-fetch-site': site } };
        await expectError(await send(server, example, other), 403, 'forbidden');
      }
    }
    expect(await raw(`GET /healthz HTTP/1.1\r\n\r\n`)).toContain('400 Bad Request');
  });

  it('refuses a body of 20 MB with and without Content-Length', async () => {
    const large = new Uint8Array(20 * MB).fill(32);
    for (const example of withBody()) {
      await expectError(await send(server, example, { body: large }), 413, 'request_too_large');
    }
    const chunked = await fetch(`${server.url}/api/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: new ReadableStream({
        start(controller) {
          for (let part = 0; part < 20; part += 1) controller.enqueue(large.subarray(0, MB));
          controller.close();
        },
      }),
      duplex: 'half',
    } as RequestInit);
    await expectError(chunked, 413, 'request_too_large');
  });

  it('refuses invalid JSON, wrong types, unknown fields and deep nesting', async () => {
    const wrong = [
      '{"content":',
      'null',
      '[]',
      '"text"',
      '17',
      '{"unknown":1}',
      '{"__proto__":{"content":"x"}}',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `{"metadata":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
      '{"content":1,"title":1,"at":1,"clearQueue":1,"preview":1,"target":1,"compression":1,"answer":1,"id":1}',
    ];
    for (const example of withJson()) {
      for (const body of wrong)
        await expectError(await send(server, example, { body }), 400, 'invalid_request');
      const notUtf8 = Uint8Array.from([0x22, 0xff, 0xfe, 0x22]);
      await expectError(await send(server, example, { body: notUtf8 }), 400, 'invalid_request');
    }
  });

  it('refuses an unsupported content type', async () => {
    const types = ['text/html', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''];
    for (const example of withBody()) {
      for (const type of types) {
        const response = await send(server, example, { headers: { 'content-type': type } });
        await expectError(response, 415, 'media_type_unsupported');
      }
      // The decompressed size of a small body has no limit.
      const packed = { body: gzipSync('{}'), headers: { 'content-encoding': 'gzip' } };
      await expectError(await send(server, example, packed), 415, 'media_type_unsupported');
    }
    const simple = { headers: { 'content-type': 'text/plain' } };
    for (const example of withJson())
      await expectError(await send(server, example, simple), 415, 'media_type_unsupported');
  });

  it('reports an unknown session, and refuses ids of another session', async () => {
    const ofSession = examples.filter(({ path }) => path.includes(sessionId));
    const paths = new Set<string>();
    for (const example of ofSession) {
      if (example.name === 'chat') continue;
      const { route: _, ...request } = example;
      const changed = JSON.parse(JSON.stringify(request).replaceAll(sessionId, ABSENT));
      paths.add(example.route.path);
      await expectError(await send(server, changed), 404, 'session_not_found');
    }
    expect(paths.size).toBeGreaterThan(12);
    const posted = await server.fetch('/api/message', {
      method: 'POST',
      body: JSON.stringify({ sessionId: ABSENT, content: 'x' }),
      headers: { 'content-type': 'application/json' },
    });
    await expectError(posted, 404, 'session_not_found');

    const other = await server.newSession();
    const { messages } = await server.store.loadLog(sessionId);
    for (const target of [messages[0]?.id ?? '', 'm1', 'm1.0']) {
      for (const action of ['pin', 'unpin', 'fork']) {
        const response = await server.fetch(`/api/sessions/${other}/${action}`, {
          method: 'POST',
          body: JSON.stringify(action === 'fork' ? { at: target } : { target }),
          headers: { 'content-type': 'application/json' },
        });
        await expectError(response, 404, 'not_found');
      }
    }
    await server.runtime.send(sessionId, [{ type: 'text', text: 'waits' }]);
    const [waiting] = await server.runtime.queue.list(sessionId);
    const path = `/api/sessions/${other}/queue/${waiting?.id}`;
    await expectError(await server.fetch(path, { method: 'DELETE' }), 404, 'not_found');
    expect(await server.runtime.queue.pendingCount(sessionId)).toBe(1);
    await server.runtime.queue.clear(sessionId);
  });

  it('opens no file for a blob id that is a path', async () => {
    const ids = [
      '../../etc/passwd',
      '..%2F..%2Fetc%2Fpasswd',
      '%2e%2e%2f%2e%2e%2flonghaul.db',
      '..%5c..%5clonghaul.db',
      '%00',
      `${blobId.slice(0, 62)}%2f.`,
      `${blobId.slice(0, 63)}G`,
      'a'.repeat(10_000),
    ];
    for (const id of ids) {
      const answer = await raw(
        `GET /blobs/${id} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(answer).not.toContain('root:');
    }
    await expectError(await server.fetch(`/blobs/${'0'.repeat(64)}`), 404, 'blob_not_found');
    const blob = await server.fetch(`/blobs/${blobId}`);
    expect([blob.status, blob.headers.get('content-type'), await blob.text()]).toEqual([
      200,
      'application/octet-stream',
      'not really an image',
    ]);
    await expectError(await server.fetch(`/blobs/${blobId}?type=text/html`), 400, 'invalid_request');
  });

  it('stores nothing of a cut-off request, and keeps running', async () => {
    const answered = () => server.log.filter((line) => JSON.parse(line).msg === 'request').length;
    for (const { method, path, contentType = 'application/json' } of withBody()) {
      const before = answered();
      const cut = request(server.url + path, {
        method,
        agent: false,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': contentType, 'content-length': '1000' },
      });
      cut.on('error', () => {});
      await new Promise((resolve) => cut.write('{"content":"half of', resolve));
      cut.destroy();
      await expect.poll(answered).toBe(before + 1);
    }
    expect(await server.runtime.queue.pendingCount(sessionId)).toBe(0);
    expect((await server.call('GET', '/healthz'))['status']).toBe('ok');
    expect(server.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  it('changes nothing on GET, and lists the methods of an address', async () => {
    const paths = new Map<string, Set<string>>();
    for (const { path, method } of examples) {
      const known = paths.get(path) ?? new Set();
      paths.set(path, known.add(method));
    }
    for (const [path, methods] of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const isTaken = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].includes(method);
        const isOther = examples.some(
          (example) => example.path.split('?')[0] === path.split('?')[0] && example.method === method,
        );
        if (isTaken || isOther) continue;
        const response = await server.fetch(path, { method });
        expect(response.headers.get('allow')).toContain([...methods][0]);
        await expectError(response, 405, 'method_not_allowed');
      }
    }
    await expectError(await server.fetch('/api/nothing/here'), 404, 'not_found');
    await expectError(await server.fetch('/'), 404, 'not_found');
  });
});
