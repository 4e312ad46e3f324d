import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentClaimant, newId } from '@longhaul/core';
import { childMetadata, type JsonObject } from '@longhaul/protocol';
import { setDate } from '@longhaul/testing/clock';
import { expect, it } from 'vitest';
import { startTestServer, type TestServer } from './test-server.ts';

const listed = async (server: TestServer) =>
  (await server.call<{ sessions: { id: string }[] }>('GET', '/api/sessions')).sessions.map(({ id }) => id);

const later = (server: TestServer, id: string, seconds: number) =>
  server.call('DELETE', `/api/sessions/${id}?undoSeconds=${seconds}`);

it('hides a session at once, and restores it', async () => {
  await using server = await startTestServer();
  const ids = [await server.newSession({ title: 'One' }), await server.newSession({ title: 'Two' })];
  const [first = '', second = ''] = ids;
  await later(server, first, 60);
  expect(await listed(server)).toEqual([second]);
  expect(await server.call('POST', `/api/sessions/${first}/restore`)).toMatchObject({
    id: first,
    title: 'One',
  });
  expect(await listed(server)).toEqual([second, first]);
  expect(await server.call('POST', `/api/sessions/${first}/restore`)).toMatchObject({ id: first });
  const refused = await server.fetch(`/api/sessions/${first}?undoSeconds=0`, { method: 'DELETE' });
  expect(refused.status).toBe(400);
});

it('keeps the pages of a list when sessions are hidden', async () => {
  await using server = await startTestServer();
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) ids.unshift(await server.newSession());
  await later(server, ids[0] ?? '', 60);
  await later(server, ids[1] ?? '', 60);
  const page = await server.call<{ sessions: object[]; next?: string }>('GET', '/api/sessions?limit=2');
  expect([page.sessions, page.next]).toEqual([[], ids[1]]);
  const rest = await server.call<{ sessions: { id: string }[] }>(
    'GET',
    `/api/sessions?limit=2&before=${page.next}`,
  );
  expect(rest.sessions.map(({ id }) => id)).toEqual(ids.slice(2));
});

it('deletes the session after the time, and then cannot restore it', async () => {
  await using server = await startTestServer();
  const id = await server.newSession();
  await later(server, id, 1);
  await expect.poll(() => server.store.getSession(id), { timeout: 10_000 }).toBeUndefined();
  expect((await server.fetch(`/api/sessions/${id}/restore`, { method: 'POST' })).status).toBe(404);
  expect(await server.store.getSetting('deletions')).toBeUndefined();
});

it('keeps a session that receives a message in the meantime', async () => {
  await using server = await startTestServer();
  const id = await server.newSession();
  await later(server, id, 3_600);
  await server.call('POST', `/api/sessions/${id}/messages`, { content: 'wait' });
  await expect.poll(() => listed(server)).toEqual([id]);
  await expect.poll(() => server.store.getSetting('deletions')).toBeUndefined();
});

it('deletes only what was due after a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-deletions-'));
  const first = await startTestServer({ folder });
  const [due, waiting, kept] = [await first.newSession(), await first.newSession(), await first.newSession()];
  await later(first, due, 2);
  await later(first, waiting, 3_600);
  await first[Symbol.asyncDispose]();
  setDate(new Date(Date.now() + 10_000).toISOString());
  {
    await using second = await startTestServer({ folder });
    await expect.poll(() => second.store.getSession(due)).toBeUndefined();
    expect(await listed(second)).toEqual([kept]);
    expect(await second.store.getSession(waiting)).toBeDefined();
  }
  await rm(folder, { recursive: true, force: true });
});

/** A session with a child, which nothing has run. */
async function family(
  server: TestServer,
  metadata: JsonObject = {},
): Promise<{ parent: string; child: string }> {
  const parent = await server.newSession({ title: 'Parent' });
  const draft = { task: 'Child', title: 'Child', model: 'played/one', workspace: server.workspace };
  const child = await server.store.createSession({
    ...draft,
    id: newId(),
    createdAt: 1,
    parentId: parent,
    metadata,
  });
  return { parent, child: child.id };
}

const ENDED = { sessionStatus: 'completed', onlyIfQueueEmpty: false, events: [] } as const;

const hold = async (server: TestServer, id: string) =>
  (await server.store.acquireLease(id, { runId: `run of ${id}`, ttlMs: 60_000, ...currentClaimant() })).lease;

const everything = async (server: TestServer) =>
  (await server.call<{ sessions: { id: string }[] }>('GET', '/api/sessions?parent=any')).sessions;

it('hides, keeps and deletes children with their parent', async () => {
  await using server = await startTestServer();
  const { parent, child } = await family(server);
  await later(server, parent, 3_600);
  expect(await everything(server)).toEqual([]);
  await server.call('POST', `/api/sessions/${parent}/restore`);
  expect(await everything(server)).toHaveLength(2);
  await later(server, parent, 3_600);
  await server.call('POST', `/api/sessions/${child}/messages`, { content: 'wait' });
  await expect.poll(() => everything(server)).toHaveLength(2);
  await expect.poll(async () => server.store.leaseHolder(child, currentClaimant())).toBeUndefined();
  await server.call('DELETE', `/api/sessions/${parent}`);
  expect(await server.store.getSession(child)).toBeUndefined();
});

it('refuses to delete a family while a child works', async () => {
  await using server = await startTestServer();
  const { parent, child } = await family(server);
  const lease = await hold(server, child);
  const refused = await server.fetch(`/api/sessions/${parent}`, { method: 'DELETE' });
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain(`The child session ${child} has an active run`);
  await server.store.finishRun(lease, { ...ENDED, status: 'completed' });
  await server.call('DELETE', `/api/sessions/${parent}`);
  expect(await everything(server)).toEqual([]);
});

it('refuses to delete a child whose result a call of its parent waits for', async () => {
  await using server = await startTestServer();
  const metadata = childMetadata({
    handle: 'm1.0',
    depth: 1,
    isBackground: false,
    files: 'shared',
    tools: [],
    isDelivered: false,
  });
  const { parent, child } = await family(server, metadata);
  const lease = await hold(server, parent);
  const call = { type: 'tool', callId: 'c', name: 'task', input: {}, state: 'running' } as const;
  const base = { role: 'assistant', status: 'running', tokenCount: 1, createdAt: 1 } as const;
  await server.store.appendMessage(lease, { ...base, id: 'm1', parts: [call] });
  const refused = await server.fetch(`/api/sessions/${child}`, { method: 'DELETE' });
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain(`The session ${parent} waits for the result of this child`);
  await server.store.finishRun(lease, { ...ENDED, status: 'cancelled' });
  await server.call('DELETE', `/api/sessions/${parent}`);
  expect(await everything(server)).toEqual([]);
});
