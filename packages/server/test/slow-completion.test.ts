import { LonghaulError } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { gate, pieces, startTestServer, type TestServer } from './test-server.ts';

const BODY = { model: 'agent/coder', messages: [{ role: 'user', content: 'hello' }] };

const ask = (server: TestServer, { body = BODY, signal }: { body?: object; signal?: AbortSignal } = {}) =>
  server.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

describe('an answer without stream that takes long', () => {
  it('begins with white space, so that a proxy keeps the connection, and is valid JSON', async () => {
    const go = gate();
    await using server = await startTestServer({
      limits: { heartbeatMs: 5 },
      play: (_, { signal }) => pieces('at last', { pause: () => go.wait(signal) }),
    });
    const response = await ask(server);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? '';
    expect(text).toMatch(/^ +$/);
    go.open();
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      text += next.value;
    expect(JSON.parse(text).choices[0].message.content).toBe('at last');
  });

  it('has its error in the body once it has begun, and in the status before', async () => {
    const go = gate();
    const play = async function* (_: string, { signal }: { signal: AbortSignal }) {
      await go.wait(signal);
      yield* pieces('');
      throw new LonghaulError('provider_bad_request', 'No.');
    };
    await using server = await startTestServer({ limits: { heartbeatMs: 5 }, play });
    const response = await ask(server);
    go.open();
    expect(response.status).toBe(200);
    expect(JSON.parse(await response.text())).toMatchObject({ error: { code: 'provider_bad_request' } });
    expect((await ask(server, { body: { ...BODY, model: 'agent/nobody' } })).status).toBe(404);
  });

  it('continues without its client, but a streamed one is cancelled', async () => {
    for (const stream of [false, true]) {
      const [begun, go] = [gate(), gate()];
      await using server = await startTestServer({
        play: (_, { signal }) =>
          pieces('at last', {
            async pause() {
              begun.open();
              await go.wait(signal);
            },
          }),
      });
      const leaving = new AbortController();
      const answer = ask(server, { body: { ...BODY, stream }, signal: leaving.signal });
      answer.catch(() => undefined);
      await begun.wait();
      leaving.abort();
      const state = async () => {
        const { sessions } = await server.call<{ sessions: { state: string }[] }>('GET', '/api/sessions');
        return sessions[0]?.state;
      };
      if (stream) await expect.poll(state).toBe('cancelled');
      await expect(answer.then((response) => response.text())).rejects.toThrow();
      go.open();
      await expect.poll(state).toBe(stream ? 'cancelled' : 'completed');
    }
  });
});
