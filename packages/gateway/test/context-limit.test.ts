import { createPersonaServer } from '@longhaul/scripted-model';
import { expect, test } from 'vitest';
import { rawRequest } from './raw-client.ts';
import { startRecordingUpstream } from './recording-upstream.ts';
import { startTestGateway } from './start-test-gateway.ts';

const MESSAGES = [{ role: 'user', content: 'Hi' }];
/** One request for each way in, by its path. */
const WAYS_IN = [
  ['/v1/chat/completions', { messages: MESSAGES }],
  ['/v1/responses', { input: 'Hi' }],
  ['/v1/responses', { input: 'Hi', previous_response_id: 'r0' }],
  ['/v1/messages', { messages: MESSAGES, max_tokens: 9 }],
  ['/v1/completions', { prompt: 'Hi' }],
  ['/api/chat', { messages: MESSAGES }],
  ['/api/generate', { prompt: 'Hi' }],
] as const;
const LIST = { method: 'GET', path: '/models' };
const chat = (model: string) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
});

test('adds the window of each loaded model to the list of one upstream', async () => {
  await using server = await createPersonaServer({
    persona: 'lmstudio',
    windowTokens: 8_192,
    script: () => 'Yes.',
  });
  await using gateway = await startTestGateway(server.url);
  const { status, body, rawHeaders } = await rawRequest(gateway.url, LIST);
  expect(status).toBe(200);
  const { data } = JSON.parse(body.toString());
  expect(data).toMatchObject([{ id: server.model, contextLimit: 8_192 }]);
  expect(rawHeaders.map((text) => text.toLowerCase())).not.toContain('transfer-encoding');
});

test('adds configured windows to the merged list, and leaves out unknown ones', async () => {
  const listing = () =>
    startRecordingUpstream((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"object":"list","data":[{"id":"known","n":1},{"id":"other"}]}');
    });
  await using one = await listing();
  await using two = await listing();
  await using gateway = await startTestGateway('', {
    upstreams: [
      { name: 'one', baseUrl: one.url, models: { known: { windowTokens: 4_096 } } },
      { name: 'two', baseUrl: two.url },
    ],
  });
  const { body } = await rawRequest(gateway.url, LIST);
  expect(JSON.parse(body.toString()).data).toEqual([
    { id: 'one/known', n: 1, contextLimit: 4_096 },
    { id: 'one/other' },
    { id: 'two/known', n: 1 },
    { id: 'two/other' },
  ]);
});

test('refuses a model without a window if compaction is required, and passes it on otherwise', async () => {
  await using server = await createPersonaServer({
    persona: 'lmstudio',
    windowTokens: 8_192,
    script: () => 'Yes.',
    reportsWindow: false,
  });
  const settings = { name: 'local', baseUrl: server.url };
  await using strict = await startTestGateway('', { upstreams: [{ ...settings, compaction: 'required' }] });
  const refused = await rawRequest(strict.url, chat(server.model));
  expect(refused.status).toBe(400);
  const { error } = JSON.parse(refused.body.toString());
  expect(error.code).toBe('window_unknown');
  expect(error.message).toContain(
    `Context limit not available for ${server.model}. Please ensure model metadata is correct.`,
  );
  expect(error.message).toContain('providers.local.models.');
  expect(server.requests).toHaveLength(0);
  await using lax = await startTestGateway('', { upstreams: [settings] });
  expect((await rawRequest(lax.url, chat(server.model))).status).toBe(200);
  expect(lax.logged).toMatchObject([{ level: 'warn', code: 'window_unknown' }]);
  const models = { [server.model]: { windowTokens: 8_192 } };
  await using known = await startTestGateway('', {
    upstreams: [{ ...settings, compaction: 'required', models }],
  });
  expect((await rawRequest(known.url, chat(server.model))).status).toBe(200);
});

test.each(WAYS_IN)('refuses %s %j without a window if compaction is required', async (path, fields) => {
  await using server = await startRecordingUpstream((_, response) => void response.end('{}'));
  const upstream = { name: 'local', baseUrl: server.url };
  await using strict = await startTestGateway('', { upstreams: [{ ...upstream, compaction: 'required' }] });
  const request = { path, body: JSON.stringify({ model: 'm', ...fields }) };
  const { status, body } = await rawRequest(rootOf(strict), request);
  expect(status).toBe(400);
  expect(JSON.stringify(JSON.parse(body.toString()))).toContain('Context limit not available for m.');
  expect(server.received.filter(({ url }) => url === path)).toHaveLength(0);
  await using off = await startTestGateway('', { upstreams: [{ ...upstream, compaction: 'required-off' }] });
  await rawRequest(rootOf(off), request);
  expect(server.received.filter(({ url }) => url === path)).toHaveLength(1);
  expect(off.status().upstreams).toMatchObject([{ compaction: false }]);
});

function rootOf({ url }: { url: string }): string {
  return url.replace(/\/v1$/, '');
}
