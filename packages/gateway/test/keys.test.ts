import { expect, test } from 'vitest';
import type { GatewayOptions, UpstreamOptions } from '../src/index.ts';
import { rawRequest } from './raw-client.ts';
import { type Received, startRecordingUpstream } from './recording-upstream.ts';
import { startTestGateway } from './start-test-gateway.ts';

/** Every header in which a client may send a secret. */
const SECRETS = {
  authorization: 'Bearer secret-1',
  'x-api-key': 'secret-2',
  'api-key': 'secret-3',
  'x-goog-api-key': 'secret-4',
  'ocp-apim-subscription-key': 'secret-5',
  'x-auth-token': 'secret-6',
  'proxy-authorization': 'Basic secret-7',
  cookie: 'session=secret-8',
};

const secretsIn = ({ rawHeaders }: Received) => rawHeaders.join('\n').match(/secret-\d/g) ?? [];

/** Starts two recording servers, and a gateway in front of them. */
async function startTwo(change: {
  one?: Partial<UpstreamOptions>;
  two?: Partial<UpstreamOptions>;
  options?: Partial<GatewayOptions>;
}) {
  const answer = ({ url }: Received, response: { end(text: string): void }) =>
    response.end(url.endsWith('/models') ? '{"data":[{"id":"m"}]}' : '{"choices":[]}');
  const one = await startRecordingUpstream(answer);
  const two = await startRecordingUpstream(answer);
  const gateway = await startTestGateway('', {
    upstreams: [
      { name: 'one', baseUrl: one.url, askTimeoutMs: 1_000, ...change.one },
      { name: 'two', baseUrl: two.url, askTimeoutMs: 1_000, ...change.two },
    ],
    ...change.options,
  });
  return {
    one,
    two,
    gateway,
    /** Uses every kind of request, for the models of both upstreams. */
    async useAll(headers: Record<string, string>) {
      const send = (method: string, path: string, body?: string) =>
        rawRequest(gateway.url, {
          method,
          path,
          headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body }),
        });
      await send('GET', '/models');
      for (const model of ['one/m', 'two/m', 'm', 'unknown']) {
        await send('GET', `/models/${encodeURIComponent(model)}`);
        await send('POST', '/embeddings', JSON.stringify({ model, input: 'x' }));
        await send(
          'POST',
          '/chat/completions',
          JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] }),
        );
      }
      await send('DELETE', '/files/1');
    },
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await one[Symbol.asyncDispose]();
      await two[Symbol.asyncDispose]();
    },
  };
}

test('sends the key of a client to none of several upstreams', async () => {
  await using both = await startTwo({ two: { apiKey: 'own' } });
  await both.useAll(SECRETS);
  const received = [...both.one.received, ...both.two.received];
  expect(received.length).toBeGreaterThan(10);
  expect(received.flatMap(secretsIn)).toEqual([]);
  expect(both.one.received.every(({ rawHeaders }) => !/authorization/i.test(rawHeaders.join()))).toBe(true);
  expect(both.two.received.every(({ rawHeaders }) => rawHeaders.includes('Bearer own'))).toBe(true);
});

test('sends the key of a client only to the upstream that it is configured for, never its cookies', async () => {
  await using both = await startTwo({ two: { clientKey: true } });
  await both.useAll(SECRETS);
  expect(both.one.received.flatMap(secretsIn)).toEqual([]);
  const sent = new Set(both.two.received.flatMap(secretsIn));
  expect([...sent].toSorted()).toEqual([1, 2, 3, 4, 5, 6].map((number) => `secret-${number}`));
});

test("never sends a client's key to an upstream with its own key, nor the token to any upstream", async () => {
  for (const [only, options] of [
    [{ apiKey: 'own' }, {}],
    [{ clientKey: true }, { token: 'secret-1' }],
  ] as const) {
    await using upstream = await startRecordingUpstream((_, response) => void response.end('{"data":[]}'));
    const upstreams = [{ name: 'local', baseUrl: upstream.url, ...only }];
    await using gateway = await startTestGateway('', { upstreams, ...options });
    await rawRequest(gateway.url, { method: 'GET', path: '/models', headers: SECRETS });
    expect(upstream.received).toHaveLength(1);
    expect(upstream.received.flatMap(secretsIn)).toEqual([]);
  }
});

test('refuses two upstreams that both take the key of the client', async () => {
  await expect(startTwo({ one: { clientKey: true }, two: { clientKey: true } })).rejects.toMatchObject({
    code: 'config_invalid',
  });
});

test('drops hop-by-hop headers and cookies of an answer', async () => {
  await using upstream = await startRecordingUpstream((_, response) => {
    response.writeHead(200, {
      'set-cookie': ['a=1', 'b=2'],
      'keep-alive': 'timeout=99',
      'proxy-authenticate': 'Basic',
      connection: 'close, x-mine',
      'x-mine': 'hop',
      'x-kept': 'end',
    });
    response.end('{"choices":[]}');
  });
  await using gateway = await startTestGateway(upstream.url);
  for (const path of ['/models', '/chat/completions']) {
    const isChat = path !== '/models';
    const { rawHeaders } = await rawRequest(gateway.url, {
      path,
      method: isChat ? 'POST' : 'GET',
      headers: isChat ? { 'content-type': 'application/json' } : {},
      ...(isChat ? { body: '{"model":"m","messages":[{"role":"user","content":"x"}]}' } : {}),
    });
    const text = rawHeaders.join('\n').toLowerCase();
    expect(text).toContain('x-kept');
    expect(text).not.toMatch(/cookie|timeout=99|proxy-authenticate|x-mine/);
  }
});
