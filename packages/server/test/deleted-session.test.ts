import { afterEach, expect, it, vi } from 'vitest';
import { SessionFeeds } from '../src/events/session-feeds.ts';
import { gate, pieces, startTestServer, type TestServer } from './test-server.ts';

afterEach(() => vi.restoreAllMocks());

/** Collects what goes to standard error past the log, by Hono or as a process warning. */
function strayOutput(): unknown[] {
  const lines: unknown[] = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(line));
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void lines.push(warning));
  return lines;
}

function ask(server: TestServer, role: 'user' | 'assistant', signal?: AbortSignal): Promise<Response> {
  const messages = [{ id: `of-${role}`, role, parts: [{ type: 'text', text: 'Hello.' }] }];
  return server.fetch('/api/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'chat', trigger: 'submit-message', messages }),
    signal,
  });
}

async function sessionOf(server: TestServer): Promise<string> {
  return (await server.call<{ sessionId: string }>('GET', '/api/chat/chat')).sessionId;
}

const logged = ({ log }: TestServer, message: string) =>
  log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);

it('ends a chat stream whose session is deleted after the status was sent (a second head was written)', async () => {
  const stray = strayOutput();
  await using server = await startTestServer();
  await (await ask(server, 'user')).text();
  const id = await sessionOf(server);
  const { openReader } = SessionFeeds.prototype;
  vi.spyOn(SessionFeeds.prototype, 'openReader').mockImplementation(async function (
    this: SessionFeeds,
    ...args
  ) {
    await openReader.apply(this, args);
    // By another process, so that this server has no event of it.
    await server.store.deleteSession(id);
  });
  const response = await ask(server, 'assistant');
  expect(response.status).toBe(200);
  expect(await response.text()).toMatch(/The session was deleted\..*data: \[DONE\]\n\n$/s);
  expect(stray).toEqual([]);
  expect(logged(server, 'reading events failed')).toMatchObject([{ level: 30 }]);
});

it('cuts a response whose handler fails after the status was sent, and logs the failure', async () => {
  const stray = strayOutput();
  await using server = await startTestServer();
  const id = await server.newSession();
  vi.spyOn(SessionFeeds.prototype, 'openSession').mockImplementation(async (_id, _after, { response }) => {
    response.writeHead(200);
    response.write('first');
    throw new Error('too late');
  });
  const read = server.fetch(`/api/sessions/${id}/events`).then((response) => response.text());
  await expect(read).rejects.toThrow();
  expect(stray).toEqual([]);
  expect(logged(server, 'request failed after its status was sent')).toMatchObject([
    { level: 50, err: { message: 'too late' } },
  ]);
});

it('prints no warning if the session of a disconnected page is deleted while its run is cancelled', async () => {
  const stray = strayOutput();
  const never = gate();
  await using server = await startTestServer({
    play: (_text, { signal }) => pieces('word '.repeat(50), { pause: () => never.wait(signal) }),
  });
  const page = new AbortController();
  const first = await ask(server, 'user', page.signal);
  const reader = first.body?.getReader();
  await expect
    .poll(async () => new TextDecoder().decode((await reader?.read())?.value))
    .toContain('text-delta');
  const id = await sessionOf(server);
  const cancel = server.runtime.cancel.bind(server.runtime);
  vi.spyOn(server.runtime, 'cancel').mockImplementation(async (...args) => {
    const result = await cancel(...args);
    await server.store.deleteSession(id);
    return result;
  });
  page.abort();
  await expect
    .poll(() => logged(server, 'cancelling the run of a disconnected page failed'))
    .toMatchObject([{ level: 30, err: { code: 'session_not_found' } }]);
  expect(stray).toEqual([]);
});

it('refuses a new chat with the id of a session that is still being deleted, with session_busy', async () => {
  await using server = await startTestServer();
  const { store } = server;
  const create = store.createSession.bind(store);
  let deletion: Promise<void> | undefined;
  // The session of the chat was created and is deleted by others since this request looked for it.
  vi.spyOn(store, 'createSession').mockImplementationOnce(async (session) => {
    await create(session);
    deletion = store.deleteSession(session.id);
    return await create(session);
  });
  const refused = await ask(server, 'user');
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({
    error: { code: 'session_busy', message: expect.stringContaining('is being deleted') },
  });
  await deletion;
  expect((await ask(server, 'user')).status).toBe(200);
});
