import { LonghaulError } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { gate, pieces, startTestServer } from './test-server.ts';

const post = (body: object) => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

describe('a message during a stop', () => {
  it('is queued for a session with a run, and delivered by the next server with resumeInterrupted', async () => {
    const [begun, go] = [gate(), gate()];
    const server = await startTestServer({
      limits: { stopGraceMs: 60_000 },
      play: (text, { signal }) => pieces(`heard ${text}`, { pause: () => begunThen(begun, go.wait(signal)) }),
    });
    await using _server = server;
    const id = await server.newSession();
    await server.call('POST', `/api/sessions/${id}/messages`, { content: 'first' });
    await begun.wait();
    const stopped = server.server.stop();
    const answer = await server.fetch(`/api/sessions/${id}/messages`, post({ content: 'second' }));
    expect(answer.status).toBe(202);
    expect(await answer.json()).toMatchObject({ queued: true, position: 1 });
    go.open();
    await stopped;
    await using next = await startTestServer({ folder: server.folder });
    expect(await next.server.resumeInterrupted()).toEqual([id]);
    await expect.poll(async () => JSON.stringify(await messagesOf(next, id))).toContain('You said: second');
  });
});

describe('two servers on one database', () => {
  it('call no run of the other interrupted, and the newer one continues what the older one leaves', async () => {
    const [begun, never] = [gate(), gate()];
    const older = await startTestServer({
      limits: { stopGraceMs: 0 },
      play: (_, { signal }) => pieces('never', { pause: () => begunThen(begun, never.wait(signal)) }),
    });
    await using _older = older;
    await using newer = await startTestServer({ folder: older.folder });
    const [worked, idle] = [await older.newSession(), await older.newSession()];
    await older.call('POST', `/api/sessions/${worked}/messages`, { content: 'go' });
    await begun.wait();
    expect(await newer.server.resumeInterrupted()).toEqual([]);
    expect(await newer.call('GET', `/api/sessions/${worked}`)).toMatchObject({ state: 'running' });
    // It delivers this message too, although it started before: its answer promised that.
    expect(await newer.call('POST', `/api/sessions/${worked}/messages`, { content: 'more' })).toMatchObject({
      queued: true,
    });
    await older.server.stop();
    await expect.poll(async () => JSON.stringify(await messagesOf(newer, worked))).toContain('said: more');
    await expect
      .poll(async () => (await newer.call('GET', `/api/sessions/${worked}`))['state'])
      .toBe('completed');
    expect(await newer.call('GET', `/api/sessions/${idle}`)).toMatchObject({ lastEvent: 0 });
  }, 20_000);
});

describe('resumeInterrupted', () => {
  it('delivers what waits after a failure, but not in a session that a person has cancelled', async () => {
    const server = await startTestServer({
      run: {
        openSandbox: async () => {
          throw new LonghaulError('sandbox_unavailable', 'No sandbox.');
        },
      },
    });
    await using _server = server;
    const [failed, stopped] = [await server.newSession(), await server.newSession()];
    await server.fetch(`/api/sessions/${failed}/messages`, post({ content: 'hello' }));
    await expect.poll(async () => await server.store.leaseHolder(failed)).toBeUndefined();
    expect(await server.store.listQueue(failed)).toHaveLength(1);
    await server.call('POST', `/api/sessions/${stopped}/cancel`, {});
    await server.store.updateSession(stopped, { status: 'cancelled' });
    await server.runtime.send(stopped, [{ type: 'text', text: 'later' }]);
    await using next = await startTestServer({ folder: server.folder });
    expect(await next.server.resumeInterrupted()).toEqual([failed]);
    await expect.poll(async () => JSON.stringify(await messagesOf(next, failed))).toContain('said: hello');
    expect(await next.store.listQueue(stopped)).toHaveLength(1);
  });
});

it('stores the end of a run, and releases its session, as soon as a full disk has room again', async () => {
  await using server = await startTestServer();
  const id = await server.newSession();
  const { finishRun } = server.store;
  let isFull = true;
  server.store.finishRun = async (...given) => {
    if (isFull) throw new LonghaulError('store_full', 'The disk is full.');
    return await finishRun.apply(server.store, given);
  };
  await server.call('POST', `/api/sessions/${id}/messages`, { content: 'hello' });
  await expect.poll(() => server.log.join('\n')).toContain('"code":"store_full"');
  const refused = await server.fetch(`/api/sessions/${id}/resume`, post({}));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([507, '5']);
  expect(await refused.json()).toMatchObject({ error: { code: 'store_full', retryable: true } });
  isFull = false;
  // The answer is complete, so there is nothing to do. The lease would last another half a minute.
  expect(await server.call('POST', `/api/sessions/${id}/resume`, {})).toMatchObject({ ok: true });
  expect(await server.call('GET', `/api/sessions/${id}`)).toMatchObject({ state: 'failed' });
  expect(await server.call('POST', `/api/sessions/${id}/messages`, { content: 'again' })).toMatchObject({
    queued: false,
  });
});

it('reports a folder of server.workspaces that does not exist', async () => {
  const options = { workspaces: ['/not/there'] };
  await expect(startTestServer({ options })).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('/not/there of server.workspaces does not exist'),
  });
});

async function begunThen(begun: ReturnType<typeof gate>, rest: Promise<void>): Promise<void> {
  begun.open();
  await rest;
}

async function messagesOf(
  server: { call: Awaited<ReturnType<typeof startTestServer>>['call'] },
  sessionId: string,
): Promise<unknown> {
  return await server.call('GET', `/api/sessions/${sessionId}/messages`);
}
