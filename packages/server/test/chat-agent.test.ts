import type { Session } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { pieces, startTestServer, type TestServer } from './test-server.ts';

const READER = { name: 'reader', model: 'played/large', prompt: 'You only read.', tools: [] };

/** Starts a server whose model answers with the start of its system prompt. */
const start = () =>
  startTestServer({
    agents: [READER],
    play: (_text, { system }) => pieces(`System: ${system.slice(0, 14)}`),
  });

function ask(server: TestServer, chat: string, more: object, id = 'one'): Promise<Response> {
  const messages = [{ id, role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }];
  return server.fetch('/api/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: chat, messages, ...more }),
  });
}

async function sessionOf(server: TestServer, chat: string): Promise<Session> {
  const { sessionId } = await server.call<{ sessionId: string }>('GET', `/api/chat/${chat}`);
  return server.call<Session & Record<string, unknown>>('GET', `/api/sessions/${sessionId}`);
}

/** Joins the text deltas. */
const textOf = async (response: Response) =>
  [...(await response.text()).matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta).join('');

it('assigns a chat to the agent of its first message, with its prompt and model', async () => {
  await using server = await start();
  expect(await textOf(await ask(server, 'first', { agent: 'reader' }))).toBe('System: You only read.');
  expect(await sessionOf(server, 'first')).toMatchObject({
    model: 'played/large',
    metadata: { chatId: 'first', agent: 'reader' },
  });
  // Later requests may name the agent or leave it out.
  expect((await ask(server, 'first', { agent: 'reader' }, 'two')).status).toBe(200);
  expect(await textOf(await ask(server, 'first', {}, 'three'))).toBe('System: You only read.');
  const again = { agent: 'reader', trigger: 'regenerate-message' };
  expect(await textOf(await ask(server, 'first', again))).toBe('System: You only read.');
  expect(await sessionOf(server, 'first')).toMatchObject({ metadata: { agent: 'reader' } });
});

it('refuses another agent in the same chat, and an unknown agent', async () => {
  await using server = await start();
  await (await ask(server, 'plain', {})).text();
  const { model, metadata, lastEvent } = { lastEvent: 0, ...(await sessionOf(server, 'plain')) };
  expect([model, metadata?.['agent']]).toEqual(['played/one', undefined]);
  const other = await ask(server, 'plain', { agent: 'reader' }, 'two');
  expect(other.status).toBe(400);
  expect(await other.json()).toMatchObject({
    error: { code: 'invalid_request', message: expect.stringContaining('with the agent "coder"') },
  });
  expect(await sessionOf(server, 'plain')).toMatchObject({ lastEvent });
  expect((await ask(server, 'plain', { agent: 'coder' }, 'two')).status).toBe(200);
  const nobody = await ask(server, 'new', { agent: 'riter' });
  expect(nobody.status).toBe(400);
  expect(await nobody.json()).toMatchObject({ error: { code: 'unknown_agent' } });
  expect(await server.call('GET', '/api/chat/new')).toEqual({ messages: [] });
});
