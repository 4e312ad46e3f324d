import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { type Received, startRecordingUpstream } from './recording-upstream.ts';
import { startTestGateway, type TestGateway } from './start-test-gateway.ts';

const EXCEEDED = '{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}';
const POOL = 8_192;

/** A server whose slots share a window, as llama-server does. Its answers wait until they are released. */
async function startPool(slots: number) {
  const waiting: { name: string; end: (text?: string) => void }[] = [];
  const refused: string[] = [];
  const answer = (request: Received, response: ServerResponse) => {
    if (!request.url.endsWith('/chat/completions')) return void response.writeHead(404).end();
    const name = String(JSON.parse(String(request.body)).messages.at(-1).content).slice(0, 1);
    if (waiting.length > 0) {
      refused.push(name);
      return void response.writeHead(500, { 'content-type': 'application/json' }).end(EXCEEDED);
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: `${name} begins` }));
    const held = {
      name,
      end: (text = chunk({ content: ', ends' }, 'stop')) => {
        waiting.splice(waiting.indexOf(held), 1);
        response.end(`${text}data: [DONE]\n\n`);
      },
    };
    waiting.push(held);
    response.once('close', () => {
      if (waiting.includes(held)) waiting.splice(waiting.indexOf(held), 1);
    });
  };
  const upstream = await startRecordingUpstream(answer, {
    '/props': { default_generation_settings: { n_ctx: POOL }, total_slots: slots },
  });
  return {
    ...upstream,
    waiting,
    refused,
    running: () => waiting.map(({ name }) => name).join(),
  };
}

function chunk(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

function ask({ url }: TestGateway, name: string): Promise<string> {
  const content = `${name} ${'river '.repeat(4_700)}`;
  return fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content }] }),
  }).then((answer) => answer.text());
}

const waits = (gateway: TestGateway) =>
  gateway.logged.filter(({ message }) => message.startsWith('Waiting for other requests')).length;

test('sends requests whose sum does not fit one after the other, with comments while they wait', async () => {
  const server = await startPool(4);
  await using gateway = await startTestGateway(server.url, { keepAliveMs: 20, compactionModel: 'none' });
  const a = ask(gateway, 'a');
  await expect.poll(server.running).toBe('a');
  const b = ask(gateway, 'b');
  await expect.poll(() => waits(gateway)).toBe(1);
  const c = ask(gateway, 'c');
  await expect.poll(() => waits(gateway)).toBe(2);
  for (const name of ['a', 'b', 'c']) {
    await expect.poll(server.running).toBe(name);
    server.waiting[0]?.end();
  }
  expect(await a).not.toContain(': compacting');
  expect(await b).toContain('b begins');
  expect(await c).toContain('c begins');
  expect(server.refused).toEqual([]);
  await server[Symbol.asyncDispose]();
});

test('repeats a request that others left no room for when they have ended, and remembers the shared window', async () => {
  const server = await startPool(2);
  await using gateway = await startTestGateway(server.url, { compactionModel: 'none' });
  const a = ask(gateway, 'a');
  await expect.poll(server.running).toBe('a');
  const b = ask(gateway, 'b');
  await expect.poll(() => waits(gateway)).toBe(1);
  expect(server.refused).toEqual(['b']);
  server.waiting[0]?.end();
  await expect.poll(server.running).toBe('b');
  const c = ask(gateway, 'c');
  await expect.poll(() => waits(gateway)).toBe(2);
  server.waiting[0]?.end();
  await expect.poll(server.running).toBe('c');
  server.waiting[0]?.end();
  for (const answer of [a, b, c]) expect(await answer).toContain(', ends');
  expect(server.refused).toEqual(['b']);
  expect(gateway.status().models[0]).toMatchObject({ compactions: 0, windowTokens: POOL });
  await server[Symbol.asyncDispose]();
});

test('continues an answer that the server breaks off because others take the room', async () => {
  const server = await startPool(2);
  await using gateway = await startTestGateway(server.url, { compactionModel: 'none', notices: 'off' });
  const asking = ask(gateway, 'a');
  await expect.poll(server.running).toBe('a');
  server.waiting[0]?.end(`data: ${EXCEEDED}\n\n`);
  // The request to continue ends with the gateway's own words.
  await expect.poll(server.running).toBe('Y');
  server.waiting[0]?.end();
  const text = await asking;
  expect(text).toContain('a begins');
  expect(text).toContain(', ends');
  expect(text).not.toContain('exceeded');
  await server[Symbol.asyncDispose]();
});

test('passes over a client that leaves while it waits', async () => {
  const server = await startPool(4);
  await using gateway = await startTestGateway(server.url, { compactionModel: 'none' });
  const a = ask(gateway, 'a');
  await expect.poll(server.running).toBe('a');
  const leaving = new AbortController();
  const left = fetch(`${gateway.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: `b ${'river '.repeat(4_700)}` }],
    }),
    signal: leaving.signal,
  });
  await expect.poll(() => waits(gateway)).toBe(1);
  leaving.abort();
  await expect(left).rejects.toThrow();
  const c = ask(gateway, 'c');
  server.waiting[0]?.end();
  await expect.poll(server.running).toBe('c');
  server.waiting[0]?.end();
  expect(await a).toContain('a begins');
  expect(await c).toContain('c begins');
  await server[Symbol.asyncDispose]();
});
