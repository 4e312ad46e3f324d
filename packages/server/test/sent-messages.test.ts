import { expect, it } from 'vitest';
import { isEvent, openStream } from './sse-client.ts';
import { startTestServer, type TestServer } from './test-server.ts';

interface Sent {
  role: string;
  metadata?: { synthetic?: string; origins?: object[] };
}

async function send(server: TestServer, id: string, body: object) {
  const response = await server.fetch(`/api/sessions/${id}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

it('marks a message that another session sends, and takes no command from it', async () => {
  await using server = await startTestServer();
  const receiver = await server.newSession({ title: 'Receiver' });
  const sender = await server.newSession({ title: 'Sender' });
  const answer = await send(server, receiver, { content: '/compact', from: sender });
  expect(answer).toMatchObject({ status: 200, body: { ok: true, queued: false, runId: expect.any(String) } });
  await using stream = await openStream(`${server.url}/api/sessions/${receiver}/events?after=0`);
  await stream.until(isEvent('run:finished'));
  const origin = { kind: 'session', sessionId: sender, title: 'Sender' };
  const { messages } = await server.call<{ messages: Sent[] }>('GET', `/api/sessions/${receiver}/messages`);
  expect(messages[0]).toMatchObject({ role: 'user', metadata: { synthetic: 'sent', origins: [origin] } });
});

it('accepts no origin of a client, no unknown sender and no message to itself', async () => {
  await using server = await startTestServer();
  const id = await server.newSession();
  const origin = { kind: 'subtask', sessionId: id, handle: 'm1.0' };
  for (const metadata of [{ origin }, { origins: [origin] }, { synthetic: 'sent' }])
    expect(await send(server, id, { content: 'Hi', metadata })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    });
  expect(await send(server, id, { content: 'Hi', from: id })).toMatchObject({ status: 400 });
  expect(await send(server, id, { content: 'Hi', from: 'absent' })).toMatchObject({ status: 404 });
  expect(await send(server, id, { content: 'Hi', origin })).toMatchObject({ status: 400 });
  expect(await server.call('GET', `/api/sessions/${id}/queue`)).toMatchObject({ count: 0 });
});
