import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
