import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_ERROR_BYTES, readWhole } from './bounded-body.ts';
import { checkServer } from './check-server.ts';
import { fetchJson } from './fetch-json.ts';
import { listServerModels } from './local-servers.ts';
import { serverFetch } from './server-fetch.ts';
import { validateToolSupport } from './tool-support.ts';
import { probeWindow } from './window-probe.ts';

const MIB = 1 << 20;
const TARGET = { provider: 'mine', model: 'm' };

interface Seen {
  method: string;
  path: string;
  body: string;
  headers: IncomingMessage['headers'];
}

async function serve(answer: (response: ServerResponse, seen: Seen) => void) {
  const requests: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const seen = { method: request.method ?? '', path: request.url ?? '', body, headers: request.headers };
    requests.push(seen);
    answer(response, seen);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, requests };
}

function redirects(status: number, location: string) {
  return (response: ServerResponse) => void response.writeHead(status, { location }).end('moved');
}

/** Sends pieces until the client hangs up, and counts their bytes. */
function floods(head: [number, Record<string, string>], piece: string) {
  const hungUp = Promise.withResolvers<void>();
  const flood = { bytes: 0, hungUp: hungUp.promise };
  const answer = (response: ServerResponse) => {
    response.writeHead(...head);
    response.once('close', hungUp.resolve);
    const gzip = head[1]['content-encoding'] === 'gzip' ? createGzip() : undefined;
    gzip?.pipe(response);
    const target = gzip ?? response;
    const more = () => {
      if (response.destroyed) return void gzip?.destroy();
      do flood.bytes += piece.length;
      while (target.write(piece) && !response.destroyed);
      target.once('drain', more);
    };
    more();
  };
  return { flood, answer };
}

const KEYS = {
  'x-api-key': 'key-1',
  'x-goog-api-key': 'key-2',
  authorization: 'Bearer key-3',
  'x-team': 'key-4',
};

test.each([301, 302, 303, 307, 308])(
  'follows no redirect with status %i to another origin',
  async (status) => {
    const other = await serve((response) => void response.end('{}'));
    const server = await serve(redirects(status, `${other.origin}/elsewhere?key=secret`));
    const sent = serverFetch(fetch, TARGET)(`${server.origin}/v1`, {
      method: 'POST',
      body: 'hi',
      headers: KEYS,
    });
    const error = await sent.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'provider_bad_request', data: TARGET });
    expect(error).toMatchObject({
      message: expect.stringContaining(`redirects the request to ${other.origin}. `),
    });
    expect(server.requests).toHaveLength(1);
    expect(other.requests).toEqual([]);
  },
);

test.each([
  'http://localhost:PORT/v1',
  'https://127.0.0.1:PORT/v1',
  '//127.0.0.2:PORT/v1',
  'http://user@127.0.0.3:PORT/v1',
  'http://127.0.0.1:PORT@127.0.0.4/v1',
  'file:///etc/passwd',
  'data:application/json,{}',
  'http://[',
])('follows no redirect to %s', async (to) => {
  const server = await serve((response) =>
    redirects(307, to.replace('PORT', new URL(server.origin).port))(response),
  );
  await expect(serverFetch(fetch)(`${server.origin}/v1`, { headers: KEYS })).rejects.toMatchObject({
    code: 'provider_bad_request',
  });
  expect(server.requests).toHaveLength(1);
});

test('follows a redirect within the origin, and repeats the method, the body and the headers', async () => {
  const server = await serve((response, { path }) =>
    path === '/v1' ? redirects(307, '/v1/')(response) : response.end('there'),
  );
  const sent = { method: 'POST', body: 'hi', headers: KEYS };
  const response = await serverFetch(fetch)(`${server.origin}/v1`, sent);
  expect(await response.text()).toBe('there');
  expect(server.requests[1]).toMatchObject({ method: 'POST', path: '/v1/', body: 'hi', headers: KEYS });
});

test.each([301, 302, 307, 308])(
  'repeats a POST with its body after a redirect with status %i',
  async (status) => {
    const server = await serve((response, { path }) =>
      path === '/v1' ? redirects(status, 'there')(response) : response.end('there'),
    );
    const sent = serverFetch(fetch, TARGET)(`${server.origin}/v1`, {
      method: 'POST',
      body: 'hi',
      headers: KEYS,
    });
    expect(await (await sent).text()).toBe('there');
    expect(server.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/v1', 'hi'],
      ['POST', '/there', 'hi'],
    ]);
    expect(server.requests[1]?.headers).toMatchObject(KEYS);
  },
);

test('never turns a POST into a GET: a redirect with status 303 is refused', async () => {
  const server = await serve(redirects(303, '/other?key=secret'));
  const sent = serverFetch(fetch, TARGET)(`${server.origin}/v1`, { method: 'POST', body: 'hi' });
  const error = await sent.catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'provider_bad_request' });
  expect(error.message).toContain('redirects the request to another path there');
  expect(error.message).not.toContain('secret');
  expect(server.requests).toHaveLength(1);
});

test('follows a redirect of a GET with status 303', async () => {
  const server = await serve((response, { path }) =>
    path === '/v1' ? redirects(303, '/there')(response) : response.end('there'),
  );
  expect(await (await serverFetch(fetch, TARGET)(`${server.origin}/v1`)).text()).toBe('there');
});

test('checks the origin of each redirect in a chain', async () => {
  const other = await serve((response) => void response.end('{}'));
  const server = await serve((response, { path }) =>
    redirects(307, path === '/v1' ? '/v2' : other.origin)(response),
  );
  await expect(serverFetch(fetch)(`${server.origin}/v1`)).rejects.toMatchObject({
    code: 'provider_bad_request',
  });
  expect(server.requests.map(({ path }) => path)).toEqual(['/v1', '/v2']);
  expect(other.requests).toEqual([]);
});

test('ends a loop of redirects', async () => {
  const server = await serve((response) => redirects(307, '/v1')(response));
  await expect(serverFetch(fetch)(`${server.origin}/v1`)).rejects.toMatchObject({
    cause: { message: 'redirect count exceeded' },
  });
  expect(server.requests).toHaveLength(21);
});

test('does not send the body of a Request or a stream a second time', async () => {
  const server = await serve((response) => redirects(307, '/v2')(response));
  const url = `${server.origin}/v1`;
  const request = new Request(url, { method: 'POST', body: 'hi' });
  await expect(serverFetch(fetch)(request)).rejects.toMatchObject({ code: 'provider_bad_request' });
  const body = new Blob(['hi']).stream();
  await expect(serverFetch(fetch)(url, { method: 'POST', body, duplex: 'half' })).rejects.toMatchObject({
    code: 'provider_bad_request',
  });
  expect(server.requests.map(({ path }) => path)).toEqual(['/v1', '/v1']);
});

test('no probe of a server follows a redirect to another origin', async () => {
  const other = await serve((response) => void response.end('{"data":[{"id":"m","max_model_len":1}]}'));
  const server = await serve((response, { path }) => redirects(307, other.origin + path)(response));
  const asked = { baseUrl: `${server.origin}/v1`, apiKey: 'own-key', provider: 'mine', model: 'm' };
  expect(await probeWindow(asked)).toBeUndefined();
  expect(await listServerModels(asked.baseUrl, asked)).toEqual([]);
  await validateToolSupport({ ...asked, kind: 'ollama' });
  expect(await checkServer(asked)).toMatchObject({
    code: 'provider_bad_request',
    message: expect.stringContaining(other.origin),
  });
  expect(server.requests.length).toBeGreaterThan(3);
  expect(other.requests).toEqual([]);
});

test.each([
  ['plain', {}],
  ['compressed', { 'content-encoding': 'gzip' }],
])('cuts the endless %s body of an error', async (_name, headers) => {
  const { flood, answer } = floods(
    [400, { 'content-type': 'application/json', ...headers }],
    'x'.repeat(10_000),
  );
  const server = await serve(answer);
  const response = await serverFetch(fetch)(server.origin);
  expect([response.status, response.ok]).toEqual([400, false]);
  expect((await response.text()).length).toBe(MAX_ERROR_BYTES);
  await flood.hungUp;
});

test('passes an error with a status that no standard knows', async () => {
  const server = await serve((response) => void response.writeHead(999).end('no'));
  const response = await serverFetch(fetch)(server.origin);
  expect([response.status, response.ok, await response.text()]).toEqual([999, false, 'no']);
});

test.each([
  ['one line', `x`.repeat(10_000), {}],
  ['one compressed line', `x`.repeat(10_000), { 'content-encoding': 'gzip' }],
  ['one event of many lines', `${'x'.repeat(1_000)}\n`, {}],
  ['one event of many lines that end in CR LF, which arrive apart', '\ndata: x\r', {}],
])('ends an answer that is %s without end', async (_name, piece, headers) => {
  const long = piece.length < 100 ? piece.repeat(1_000) : piece;
  const { flood, answer } = floods([200, { 'content-type': 'text/event-stream', ...headers }], long);
  const server = await serve(answer);
  const response = await serverFetch(fetch, TARGET)(server.origin);
  let read = 0;
  const reading = (async () => {
    for await (const bytes of response.body ?? []) read += bytes.length;
  })();
  await expect(reading).rejects.toMatchObject({ code: 'provider_bad_response', data: TARGET });
  expect(read).toBeGreaterThan(15 * MIB);
  expect(read).toBeLessThanOrEqual(16 * MIB);
  await flood.hungUp;
});

test.each(['\n\n', '\r\r', '\r\n\r\n'])(
  'passes a stream of any length whose events end in %j',
  async (end) => {
    const event = `data: ${'x'.repeat(MIB)}${end}`;
    const server = await serve((response) => {
      for (let left = 20; left > 0; left -= 1) response.write(event);
      response.end();
    });
    const response = await serverFetch(fetch)(server.origin);
    expect((await response.text()).length).toBe(20 * event.length);
  },
);

test('reads no more than 16 MiB of an answer as a whole', async () => {
  const { flood, answer } = floods([200, { 'content-type': 'application/json' }], `${' '.repeat(9_998)}\n\n`);
  const server = await serve(answer);
  expect((await readWhole(await serverFetch(fetch)(server.origin))).length).toBe(16 * MIB);
  await flood.hungUp;
});

test('a probe gives up on an endless answer', async () => {
  const { flood, answer } = floods([200, { 'content-type': 'application/json' }], `${' '.repeat(9_998)}\n\n`);
  const server = await serve(answer);
  expect(await fetchJson(server.origin, { timeoutMs: 60_000 })).toBeUndefined();
  await flood.hungUp;
});

test('sends the user and the password of an address in a header, unless there is a key', async () => {
  const server = await serve((response) => response.end('{}'));
  const address = server.origin.replace('//', '//me:p%40ss@');
  await serverFetch()(`${address}/v1`);
  await serverFetch()(`${address}/v1`, { headers: { authorization: 'Bearer key' } });
  const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([basic, 'Bearer key']);
});
