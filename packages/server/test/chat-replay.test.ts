import { LonghaulError } from '@longhaul/protocol';
import { createIdleSandbox } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { openStream, type Stream } from './sse-client.ts';
import { gate, pieces, startTestServer, type TestServer } from './test-server.ts';

interface Chunk {
  type: string;
  delta?: string;
}

/** Returns the chunks of the answer, with adjacent deltas joined and data parts left out. */
function shown(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  for (const [, json] of text.matchAll(/^data: (\{.*)$/gm)) {
    const { type, delta }: Chunk = JSON.parse(json ?? '');
    const last = chunks.at(-1);
    if (type === 'start' || type.startsWith('data-')) continue;
    if (last?.type === type && delta !== undefined) last.delta += delta;
    else chunks.push({ type, delta });
  }
  return chunks;
}

const ask = (server: TestServer) =>
  server.fetch('/api/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      id: 'chat',
      messages: [{ id: 'one', role: 'user', parts: [{ type: 'text', text: 'Go.' }] }],
      onDisconnect: 'continue',
    }),
  });

const join = async (server: TestServer): Promise<Stream> => {
  const stream = await openStream(`${server.url}/api/chat/chat/stream`);
  expect(stream.response.statusCode).toBe(200);
  return stream;
};
const textOf = ({ blocks }: Stream) => blocks.map(({ data = '' }) => `data: ${data}\n`).join('');

it('sends the text of a step that broke off to pages that join later', async () => {
  const [broken, next, rest] = [gate(), gate(), gate()];
  let tries = 0;
  await using server = await startTestServer({
    run: { retry: { attempts: 3, totalMs: 60_000, firstDelayMs: 1 } },
    async *play() {
      tries += 1;
      if (tries === 2) await next.wait();
      if (tries === 2) yield* pieces(' and the rest.', { pause: () => rest.wait() });
      if (tries > 1) return;
      yield { type: 'reasoning-start', id: 'r' };
      yield { type: 'reasoning-delta', id: 'r', text: 'Thinking.' };
      yield { type: 'reasoning-end', id: 'r' };
      yield { type: 'text-start', id: 't' };
      yield { type: 'text-delta', id: 't', text: 'Half an answer' };
      await broken.wait();
      throw new LonghaulError('provider_stream_cut', 'The connection broke.');
    },
  });
  const first = await ask(server);
  await using early = await join(server);
  await early.until(({ data }) => data?.includes('Half an answer') === true);
  broken.open();
  await expect.poll(() => tries).toBe(2);
  await using between = await join(server);
  await between.until(({ data }) => data?.includes('text-end') === true);
  next.open();
  await early.until(({ data }) => data?.includes('"delta":" and') === true);
  await using late = await join(server);
  await late.until(({ data }) => data?.includes('"delta":" and') === true);
  rest.open();
  await Promise.all([early.ended, between.ended, late.ended]);
  const there = shown(await first.text());
  expect(there.filter(({ type }) => type.endsWith('-delta'))).toEqual([
    { type: 'reasoning-delta', delta: 'Thinking.' },
    { type: 'text-delta', delta: 'Half an answer' },
    { type: 'text-delta', delta: ' and the rest.' },
  ]);
  expect(shown(textOf(early))).toEqual(there);
  expect(shown(textOf(between))).toEqual(there);
  expect(shown(textOf(late))).toEqual(there);
});

it('shows an undelivered message to a page that joins, and streams its answer from the beginning', async () => {
  const ready = gate();
  await using server = await startTestServer({
    run: {
      openSandbox: async () => {
        await ready.wait();
        return createIdleSandbox();
      },
    },
  });
  const first = await ask(server);
  await using early = await join(server);
  const history = await (await server.fetch('/api/chat/chat')).json();
  expect(history).toMatchObject({
    messages: [{ id: 'one', role: 'user', parts: [{ type: 'text', text: 'Go.' }] }],
  });
  ready.open();
  await early.ended;
  const there = shown(await first.text());
  expect(there.map(({ type }) => type)).toContain('text-delta');
  expect(shown(textOf(early))).toEqual(there);
  const after = await (await server.fetch('/api/chat/chat')).json();
  expect(after).toMatchObject({ messages: [{ id: 'one' }, { id: 'answer-one', role: 'assistant' }] });
  expect((await server.fetch('/api/chat/chat/stream')).status).toBe(204);
});
