import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@longhaul/client';
import { afterEach, expect, it } from 'vitest';
import { socketFetch } from './socket-fetch.ts';

const ADDRESS = 'http://localhost';
const opened: { folder: string; server: Server }[] = [];

afterEach(async () => {
  for (const { folder, server } of opened.splice(0)) {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
});

/** Returns the `fetch` of a server on a Unix socket. */
async function serve(listener: RequestListener): Promise<typeof fetch> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-'));
  const server = createServer(listener);
  opened.push({ folder, server });
  const path = join(folder, 'socket');
  server.listen(path);
  await once(server, 'listening');
  return socketFetch(path);
}

it('sends method, path, headers and body for any host in the address', async () => {
  const get = await serve(async (request, response) => {
    const body = (await request.toArray()).join('');
    const { method, url, headers } = request;
    response.setHeader('x-method', `${method} ${url} ${headers['x-word']}`).writeHead(201).end(`got ${body}`);
  });
  const init = { method: 'POST', headers: { 'x-word': 'yes' }, body: 'a text' };
  const answer = await get('http://elsewhere.invalid/a/b?c=d%20e', init);
  expect(answer.status).toBe(201);
  expect(answer.headers.get('x-method')).toBe('POST /a/b?c=d%20e yes');
  expect(await answer.text()).toBe('got a text');
});

it('gives each chunk of a body when it arrives, and whole characters that were cut', async () => {
  const euro = Buffer.from('€');
  let more: () => void = () => undefined;
  const get = await serve((_request, response) => {
    response.write(Buffer.concat([Buffer.from('first '), euro.subarray(0, 1)]));
    more = () => response.end(euro.subarray(1));
  });
  const { body } = await get(`${ADDRESS}/`);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  expect(await reader?.read()).toEqual({ done: false, value: 'first ' });
  more();
  expect(await reader?.read()).toEqual({ done: false, value: '€' });
  expect(await reader?.read()).toEqual({ done: true, value: undefined });
});

it.each([204, 304])('has no body for status %d', async (status) => {
  const get = await serve((_request, response) => response.writeHead(status).end());
  const answer = await get(`${ADDRESS}/`);
  expect(answer.status).toBe(status);
  expect(answer.body).toBeNull();
});

it('does not follow a redirect', async () => {
  const get = await serve((_request, response) => response.writeHead(307, { location: '/other' }).end());
  expect((await get(`${ADDRESS}/`)).status).toBe(307);
});

it('rejects if nothing listens, and if the server closes the connection before it answers', async () => {
  const get = await serve((request) => request.socket.destroy());
  await expect(get(`${ADDRESS}/`)).rejects.toThrow('socket hang up');
  await expect(socketFetch('/nowhere/socket')(`${ADDRESS}/`)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('fails the body, and a call of the client, if the connection breaks in the middle', async () => {
  const get = await serve((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"half":', () => request.socket.destroy());
  });
  const answer = await get(`${ADDRESS}/`);
  await expect(answer.text()).rejects.toThrow();
  const client = createClient({ baseUrl: ADDRESS, fetch: get, retries: 0 });
  await expect(client.models()).rejects.toMatchObject({ code: 'server_unreachable', retryable: true });
});

it('continues to read events after a connection that broke in the middle', async () => {
  const event = (number: number) =>
    `data: ${JSON.stringify({ type: 'llm:thinking', sessionId: 's', at: 1, number })}\n\n`;
  let connections = 0;
  const get = await serve((request, response) => {
    connections += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event(connections), () => connections === 1 && request.socket.destroy());
  });
  const client = createClient({ baseUrl: ADDRESS, fetch: get, retryDelayMs: 1 });
  const numbers: (number | undefined)[] = [];
  for await (const { number } of client.events('s', { after: 0 })) if (numbers.push(number) === 2) break;
  expect(numbers).toEqual([1, 2]);
});

it('ends a request that is aborted: before it is sent, before the answer, and in the body', async () => {
  const arrived = Promise.withResolvers<void>();
  const closed: Promise<unknown>[] = [];
  const get = await serve((request, response) => {
    closed.push(once(response, 'close'));
    if (request.url === '/body') response.write('begun');
    else arrived.resolve();
  });
  const aborted = get(`${ADDRESS}/never`, { signal: AbortSignal.abort() });
  await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  expect(closed).toEqual([]);

  const first = new AbortController();
  const waiting = get(`${ADDRESS}/silent`, { signal: first.signal });
  await arrived.promise;
  first.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });

  const second = new AbortController();
  const { body } = await get(`${ADDRESS}/body`, { signal: second.signal });
  const reader = body?.getReader();
  await reader?.read();
  second.abort();
  await expect(reader?.read()).rejects.toThrow('aborted');
  await Promise.all(closed);
});

it('ends the connection of a body that is left', async () => {
  const closed = Promise.withResolvers<void>();
  const get = await serve((_request, response) => {
    response.once('close', () => closed.resolve());
    response.write('begun');
  });
  await (await get(`${ADDRESS}/`)).body?.cancel();
  await closed.promise;
});

it('stops the server while nobody reads', async () => {
  const piece = Buffer.alloc(64 * 1024);
  const pieces = 2_000;
  let sent = 0;
  const get = await serve(async (request, response) => {
    if (request.url === '/small') return void response.end('small');
    while (sent < pieces) {
      sent += 1;
      if (!response.write(piece)) await once(response, 'drain');
    }
    response.end();
  });
  const large = await get(`${ADDRESS}/large`);
  // Each of these is an answer that the server had time to give.
  for (let count = 0; count < 100; count += 1) await (await get(`${ADDRESS}/small`)).text();
  expect(sent).toBeLessThan(pieces / 10);
  expect((await large.arrayBuffer()).byteLength).toBe(pieces * piece.length);
});

it('refuses a body that is neither text nor bytes, and sends nothing', async () => {
  let requests = 0;
  const get = await serve((_request, response) => {
    requests += 1;
    response.end();
  });
  await expect(get(`${ADDRESS}/`, { method: 'POST', body: new FormData() })).rejects.toThrow(
    'must be text or bytes',
  );
  await get(`${ADDRESS}/`);
  expect(requests).toBe(1);
});
