import { expect, test } from 'vitest';
import { rawRequest } from './raw-client.ts';
import { startRecordingUpstream } from './recording-upstream.ts';
import { startBoth, startTestGateway } from './start-test-gateway.ts';

const LONG = 'The river flows. '.repeat(800);

test.each([
  ['/v1/completions', { prompt: LONG }],
  ['/v1/completions', { prompt: ['Hi', LONG] }],
  ['/v1/completions', { prompt: Array.from({ length: 3_000 }, () => 7) }],
  ['/v1/completions', { prompt: [[1, 2], Array.from({ length: 3_000 }, () => 7)] }],
  ['/api/generate', { prompt: 'Hi', system: LONG }],
  ['/api/generate', { prompt: 'Hi', context: Array.from({ length: 3_000 }, () => 7) }],
])('passes a long prompt to %s unchanged, counts it and warns once', async (path, fields) => {
  await using both = await startBoth((_, response) => void response.end('{"done":true}'));
  const root = both.gateway.url.replace(/\/v1$/, '');
  const body = JSON.stringify({ model: 'm', ...fields });
  for (let turn = 0; turn < 2; turn += 1) expect((await rawRequest(root, { path, body })).status).toBe(200);
  const sent = both.upstream.received.filter(({ url }) => url === path);
  expect(sent.map((request) => String(request.body))).toEqual([body, body]);
  const { models, unhelped } = both.gateway.status();
  expect(models).toMatchObject([{ model: 'm', requests: 2, windowTokens: 4_096 }]);
  expect(models[0]?.lastTokens).toBeGreaterThan(2_900);
  expect(unhelped).toEqual([expect.stringContaining(path), expect.stringContaining('Long prompts to m')]);
  const warnings = both.gateway.logged.filter(({ message }) => message.includes('of the 4096 tokens'));
  expect(warnings).toMatchObject([{ level: 'warn', code: 'context_overflow', model: 'm' }]);
});

test('counts a short prompt without a warning, and leaves an unreadable body to the server', async () => {
  await using both = await startBoth((_, response) => void response.writeHead(400).end('{}'));
  await rawRequest(both.gateway.url, { path: '/completions', body: '{"model":"m","prompt":"Hi"}' });
  expect(both.gateway.status().models).toMatchObject([{ requests: 1, lastTokens: 1 }]);
  expect(both.gateway.logged).toMatchObject([{ message: expect.stringContaining('never compacted') }]);
  const { status } = await rawRequest(both.gateway.url, { path: '/completions', body: '{"model":' });
  expect(status).toBe(400);
  expect(both.upstream.received.at(-1)?.body.toString()).toBe('{"model":');
});

test('measures a prompt of Ollama by the window that it asks for', async () => {
  await using both = await startBoth((_, response) => void response.end('{"done":true}'));
  const root = both.gateway.url.replace(/\/v1$/, '');
  const body = JSON.stringify({ model: 'm', prompt: LONG, options: { num_ctx: 16_384 } });
  await rawRequest(root, { path: '/api/generate', body });
  expect(both.gateway.status().unhelped).toHaveLength(1);
});

test('passes a request that only loads a model, also if compaction is required', async () => {
  const upstreams = (url: string) => [{ name: 'local', baseUrl: url, compaction: 'required' as const }];
  await using server = await startRecordingUpstream((_, response) => void response.end('{"done":true}'));
  await using gateway = await startTestGateway('', { upstreams: upstreams(server.url) });
  const root = gateway.url.replace(/\/v1$/, '');
  const loading = { path: '/api/generate', body: '{"model":"m","keep_alive":0}' };
  expect((await rawRequest(root, loading)).status).toBe(200);
  expect(gateway.status()).toMatchObject({ unhelped: [], models: [] });
});
