import { createApprovers } from '@longhaul/approvals';
import { newId, type RuntimeOptions, type StepEvent, type StepRequest } from '@longhaul/core';
import type { Approval } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { isEvent, openStream } from './sse-client.ts';
import { gate, pieces, startTestServer, type TestServer } from './test-server.ts';

type Inbox = {
  approvals: (Approval & {
    title: string;
    alwaysAllows?: string[];
    parent?: { id: string; title: string };
  })[];
};

const noop: RuntimeOptions['tools'][number] = {
  name: 'publish',
  schema: { name: 'publish', description: 'publishes', parameters: { type: 'object', properties: {} } },
  parse: (input) => ({ ok: true, input }),
  execute: async () => ({ content: [{ type: 'text', text: 'published' }] }),
};

async function* publishOnce(_: string, { messages }: StepRequest): AsyncGenerator<StepEvent> {
  if (messages.some(({ role }) => role === 'assistant')) return yield* pieces('done');
  yield { type: 'tool-call', callId: 'c1', name: 'publish', input: {} };
  yield { type: 'finish', finishReason: 'tool-calls' };
}

const inboxOf = async (server: TestServer) => (await server.call<Inbox>('GET', '/api/approvals')).approvals;

it('gives the place of a session that waits for an answer to others, until it is answered', async () => {
  const approverFor = createApprovers({
    rules: [{ tool: '*', action: 'ask' }],
    ask: 'wait',
    timeoutMs: null,
  });
  await using server = await startTestServer({
    play: publishOnce,
    options: { maxRuns: 1 },
    run: { tools: [noop], approverFor },
  });
  await using stream = await openStream(`${server.url}/api/events`);
  const ids = [await server.newSession(), await server.newSession()];
  for (const id of ids) {
    await server.call('POST', `/api/sessions/${id}/messages`, { content: 'go' });
    await stream.until((block) => isEvent('approval:requested')(block) && block.data?.includes(id) === true);
  }
  for (const { sessionId, callId, handle } of await inboxOf(server)) {
    await server.call('POST', `/api/sessions/${sessionId}/approvals/${callId}`, { answer: 'once', handle });
    await stream.until((block) => isEvent('run:finished')(block) && block.data?.includes(sessionId) === true);
  }
});

it('lists open approvals of all sessions, with titles and what always would allow', async () => {
  const approverFor = createApprovers({
    rules: [{ tool: '*', action: 'ask' }],
    ask: 'wait',
    timeoutMs: null,
  });
  await using server = await startTestServer({ play: publishOnce, run: { tools: [noop], approverFor } });
  await using stream = await openStream(`${server.url}/api/events`);
  const ids = [await server.newSession({ title: 'One' }), await server.newSession({ title: 'Two' })];
  for (const id of ids) {
    await server.call('POST', `/api/sessions/${id}/messages`, { content: 'go' });
    await stream.until((block) => isEvent('approval:requested')(block) && block.data?.includes(id) === true);
  }
  const open = await inboxOf(server);
  expect(open.map(({ sessionId, title, toolName }) => [sessionId, title, toolName])).toEqual([
    [ids[0], 'One', 'publish'],
    [ids[1], 'Two', 'publish'],
  ]);
  expect(open[0]?.alwaysAllows).toEqual(['publish']);
  const listed = await server.call<{ sessions: { id: string; figures: { openApprovals: number } }[] }>(
    'GET',
    '/api/sessions?figures=true',
  );
  expect(listed.sessions.map(({ figures }) => figures.openApprovals)).toEqual([1, 1]);
  const { handle } = open[0] ?? { handle: '' };
  await server.call('POST', `/api/sessions/${ids[0]}/approvals/c1`, { answer: 'once', handle });
  await stream.until(isEvent('approval:answered'));
  expect((await inboxOf(server)).map(({ title }) => title)).toEqual(['Two']);
  const answered = await server.call<Inbox>('GET', `/api/sessions/${ids[0]}/approvals`);
  expect(answered.approvals[0]).toMatchObject({ answer: 'once' });
  expect(answered.approvals[0]).not.toHaveProperty('alwaysAllows');
});

it('moves queued messages, tells other pages, and sends one now by stopping the step', async () => {
  const open = gate();
  const seen: string[] = [];
  await using server = await startTestServer({
    async *play(text, { signal }) {
      seen.push(text);
      if (text === 'first') await open.wait(signal);
      yield* pieces(`I did: ${text}`);
    },
  });
  const id = await server.newSession();
  const path = `/api/sessions/${id}`;
  await using stream = await openStream(`${server.url}${path}/events?after=0`);
  await server.call('POST', `${path}/messages`, { content: 'first' });
  await expect.poll(() => seen).toEqual(['first']);
  for (const content of ['a', 'b', 'c'])
    await server.call('POST', `${path}/messages`, { content, id: content });
  type Queue = { messages: { id: string }[]; count: number };
  const moved = await server.call<Queue>('POST', `${path}/queue/c/move`, { position: 1 });
  expect([moved.messages.map((message) => message.id), moved.count]).toEqual([['c', 'a', 'b'], 3]);
  expect(JSON.parse((await stream.until(isEvent('queue:changed'))).data ?? '')).toMatchObject({ count: 3 });
  await server.call('DELETE', `${path}/queue/a`);
  const absent = await server.fetch(`${path}/queue/a/move`, {
    method: 'POST',
    body: '{"position":1}',
    headers: { 'content-type': 'application/json' },
  });
  expect(absent.status).toBe(404);

  const sent = await server.call('POST', `${path}/queue/b/send`);
  expect(sent).toMatchObject({ ok: true, cancelled: true, runId: expect.any(String) });
  await stream.until(
    (block) => isEvent('run:finished')(block) && block.data?.includes(String(sent['runId'])) === true,
  );
  expect(seen.at(-1)).toMatch(/b[\s\S]*c/);
  const { messages } = await server.call<{ messages: { role: string; parts: { text?: string }[] }[] }>(
    'GET',
    `${path}/messages`,
  );
  const users = messages.filter(({ role }) => role === 'user').map(({ parts }) => parts[0]?.text);
  expect(users).toEqual(['first', 'First: b\n\nAlso: c']);
  expect(await server.call<Queue>('GET', `${path}/queue`)).toMatchObject({ count: 0 });
  const statuses = stream.events.flatMap((event) => (event.type === 'run:finished' ? [event.status] : []));
  expect(statuses).toEqual(['cancelled', 'completed']);
});

it('names the parent of a child session that asks', async () => {
  const approverFor = createApprovers({
    rules: [{ tool: '*', action: 'ask' }],
    ask: 'wait',
    timeoutMs: null,
  });
  await using server = await startTestServer({ play: publishOnce, run: { tools: [noop], approverFor } });
  await using stream = await openStream(`${server.url}/api/events`);
  const parent = await server.store.getSession(await server.newSession({ title: 'Parent' }));
  if (parent === undefined) throw new Error('the session was not stored');
  const child = { ...parent, id: newId(), parentId: parent.id, title: 'Child' };
  await server.store.createSession(child);
  await server.call('POST', `/api/sessions/${child.id}/messages`, { content: 'go' });
  await stream.until(isEvent('approval:requested'));
  expect((await inboxOf(server)).map(({ title, parent: of }) => [title, of])).toEqual([
    ['Child', { id: parent.id, title: 'Parent' }],
  ]);
});
