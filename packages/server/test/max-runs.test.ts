import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NamedTokens } from '../src/index.ts';
import { openStream, type Stream } from './sse-client.ts';
import { gate, pieces, startTestServer } from './test-server.ts';

type Sent = { queued: boolean; runId?: string; waiting?: { position: number } };
type Shown = { state: string; waiting?: { position: number } };

/** A server with one place, whose first run is in progress until `go.open()`. */
async function busyServer(options: object = {}, folder?: string) {
  const go = gate();
  const server = await startTestServer({
    options: { maxRuns: 1, ...options },
    ...(folder !== undefined && { folder }),
    play: (text, { signal }) =>
      pieces(`You said: ${text}`, { pause: () => (text === 'first' ? go.wait(signal) : Promise.resolve()) }),
  });
  const first = await server.newSession();
  const send = (id: string, content: string) =>
    server.call<Sent & Record<string, unknown>>('POST', `/api/sessions/${id}/messages`, { content });
  const show = (id: string) => server.call<Shown & Record<string, unknown>>('GET', `/api/sessions/${id}`);
  expect((await send(first, 'first')).runId).toBeDefined();
  return { go, server, first, send, show };
}

it('lets a session wait for a place, shows its position, and runs it when a place is free', async () => {
  const { go, server, send, show } = await busyServer();
  await using _server = server;
  const [second, third] = [await server.newSession(), await server.newSession()];
  await using stream = await openStream(`${server.url}/api/sessions/${third}/events?after=0`);
  expect(await send(second, 'x')).toMatchObject({ queued: true, waiting: { position: 1 } });
  expect(await send(third, 'y')).toMatchObject({ queued: true, waiting: { position: 2 } });
  expect((await send(third, 'z')).queued).toBe(true);
  expect(await show(third)).toMatchObject({ state: 'waiting', waiting: { position: 2 } });
  const metrics = async () => await (await server.fetch('/metrics')).text();
  expect(await metrics()).toContain('longhaul_runs_waiting 2');
  go.open();
  await stream.until(({ data = '' }) => data.includes('run:finished'));
  expect(positionsIn(stream)).toEqual([2, 1]);
  expect((await show(third)).waiting).toBeUndefined();
  expect(await metrics()).toContain('longhaul_runs_waiting 0');
  expect((await show(second)).state).toBe('completed');
});

/** The positions that a stream has reported. */
const positionsIn = ({ events }: Stream) =>
  events.flatMap((event) => (event.type === 'run:waiting' ? [event.position] : []));

it('gives up the turn of a session that is cancelled, and keeps its messages', async () => {
  const { go, server, send, show } = await busyServer();
  await using _server = server;
  const second = await server.newSession();
  await using stream = await openStream(`${server.url}/api/sessions/${second}/events?after=0`);
  await send(second, 'x');
  await stream.until(({ data = '' }) => data.includes('"position":1'));
  expect(await server.call('POST', `/api/sessions/${second}/cancel`, {})).toMatchObject({ cancelled: true });
  expect(await show(second)).toMatchObject({ state: 'active' });
  await stream.until(({ data = '' }) => data.includes('run:waiting') && !data.includes('position'));
  go.open();
  expect(await server.call('GET', `/api/sessions/${second}/queue`)).toMatchObject({ count: 1 });
});

it('gives up the turns of sessions that are deleted, or have no message left', async () => {
  const { server, send } = await busyServer();
  await using _server = server;
  const [deleted, emptied, last] = [
    await server.newSession(),
    await server.newSession(),
    await server.newSession(),
  ];
  for (const id of [deleted, emptied, last]) await send(id, 'x');
  await using stream = await openStream(`${server.url}/api/sessions/${last}/events?after=0`);
  await server.call('DELETE', `/api/sessions/${deleted}`);
  await server.call('DELETE', `/api/sessions/${emptied}/queue`);
  await stream.until(({ data = '' }) => data.includes('run:waiting') && data.includes('"position":1'));
});

it('keeps the order of waiting sessions over a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-order-'));
  const before = await busyServer({}, folder);
  const ids = [await before.server.newSession(), await before.server.newSession()].toReversed();
  for (const id of ids) await before.send(id, 'x');
  await before.server[Symbol.asyncDispose]();
  const go = gate();
  await using server = await startTestServer({
    options: { maxRuns: 1 },
    folder,
    play: (_text, { signal }) => pieces('Yes', { pause: () => go.wait(signal) }),
  });
  await server.server.resumeInterrupted();
  const { sessions } = await server.call<{ sessions: (Shown & { id: string })[] }>('GET', '/api/sessions');
  const positionOf = (id: string) => sessions.find((session) => session.id === id)?.waiting?.position ?? 0;
  expect(positionOf(ids[1] ?? '')).toBe(positionOf(ids[0] ?? '') + 1);
  await server.server.stop({ atOnce: true });
  await rm(folder, { recursive: true, force: true });
});

it('ends a chat and a completion whose session is cancelled while it waits', async () => {
  const { server } = await busyServer();
  await using _server = server;
  await using all = await openStream(`${server.url}/api/events`);
  const asked = server.fetch('/v1/chat/completions', {
    method: 'POST',
    body: JSON.stringify({ model: 'agent/coder', messages: [{ role: 'user', content: 'completion' }] }),
    headers: { 'content-type': 'application/json' },
  });
  await all.until(({ data = '' }) => data.includes('run:waiting'));
  const messages = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'chat' }] }];
  const chat = await server.fetch('/api/chat', {
    method: 'POST',
    body: JSON.stringify({ id: 'waits', messages }),
    headers: { 'content-type': 'application/json' },
  });
  await all.until(({ data = '' }) => data.includes('run:waiting') && data.includes('"position":2'));
  const { sessions } = await server.call<{ sessions: (Shown & { id: string })[] }>('GET', '/api/sessions');
  for (const { id } of sessions.filter(({ state }) => state === 'waiting'))
    await server.call('POST', `/api/sessions/${id}/cancel`, {});
  expect(await (await asked).text()).toContain('cancelled');
  expect(await chat.text()).toContain('waits no longer');
});

it('keeps the stream of a chat and a completion open while they wait', async () => {
  const { go, server } = await busyServer();
  await using _server = server;
  const post = (path: string, body: object) =>
    server.fetch(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const messages = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'chat' }] }];
  const chat = await post('/api/chat', { id: 'waits', messages });
  const completion = post('/v1/chat/completions', {
    model: 'agent/coder',
    messages: [{ role: 'user', content: 'completion' }],
  });
  go.open();
  expect(await chat.text()).toContain('"finishReason":"stop"');
  expect(await (await completion).text()).toContain('You said: completion');
});

it('takes turns between tokens, however many sessions one has', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-turns-'));
  const named = new NamedTokens(join(folder, 'server-tokens'));
  const { server, send, show } = await busyServer({ namedTokens: named });
  await using _server = server;
  const many = [await server.newSession(), await server.newSession(), await server.newSession()];
  for (const id of many) await send(id, 'x');
  const token = await named.add('ann', { scope: 'work' });
  const headers = { 'content-type': 'application/json' };
  const created = await server.fetch('/api/sessions', { method: 'POST', body: '{}', headers, token });
  const { id } = JSON.parse(await created.text());
  const sent = await server.fetch(`/api/sessions/${id}/messages`, {
    method: 'POST',
    body: '{"content":"hers"}',
    headers,
    token,
  });
  expect(JSON.parse(await sent.text()).waiting).toEqual({ position: 1 });
  expect((await show(many[0] ?? '')).waiting).toEqual({ position: 2 });
  await rm(folder, { recursive: true, force: true });
});

it('begins sessions with a higher priority first, and lets only admins set the highest', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-turns-'));
  const named = new NamedTokens(join(folder, 'server-tokens'));
  const { server, send, show } = await busyServer({ namedTokens: named });
  await using _server = server;
  const [low, normal, urgent] = [
    await server.newSession(),
    await server.newSession(),
    await server.newSession(),
  ];
  await server.call('PATCH', `/api/sessions/${low}`, { priority: 'low' });
  for (const id of [low, normal, urgent]) await send(id, 'x');
  const positions = async () =>
    await Promise.all([low, normal, urgent].map(async (id) => (await show(id)).waiting));
  expect(await positions()).toEqual([{ position: 3 }, { position: 1 }, { position: 2 }]);
  const changed = await server.call('PATCH', `/api/sessions/${urgent}`, { priority: 'high' });
  expect(changed).toMatchObject({ priority: 'high' });
  expect(await positions()).toEqual([{ position: 3 }, { position: 2 }, { position: 1 }]);
  const token = await named.add('ann', { scope: 'work' });
  const create = async (body: object) =>
    await server.fetch('/api/sessions', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
      token,
    });
  expect((await create({ priority: 'high' })).status).toBe(403);
  expect((await create({ priority: 'low' })).status).toBe(201);
  const refused = await create({ metadata: { priority: 'high' } });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('Set the field');
  await rm(folder, { recursive: true, force: true });
});
