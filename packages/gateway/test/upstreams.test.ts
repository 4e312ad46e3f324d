import { gzipSync } from 'node:zlib';
import { createPersonaServer } from '@longhaul/scripted-model';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { rawRequest } from './raw-client.ts';
import { startRecordingUpstream } from './recording-upstream.ts';
import { startTestGateway } from './start-test-gateway.ts';

async function startThreeUpstreams() {
  const one = await createPersonaServer({ persona: 'lmstudio', windowTokens: 2_048, script: () => 'One.' });
  const two = await createPersonaServer({ persona: 'ollama', windowTokens: 2_048, script: () => 'Two.' });
  const gateway = await startTestGateway('', {
    upstreams: [
      { name: 'one', baseUrl: one.url },
      { name: 'two', baseUrl: two.url, compaction: false },
      { name: 'away', baseUrl: 'http://127.0.0.1:9/v1' },
    ],
  });
  return {
    one,
    two,
    gateway,
    client: new OpenAI({ baseURL: gateway.url, apiKey: 'any', maxRetries: 0 }),
    async [Symbol.asyncDispose]() {
      await Promise.all([gateway.close(), one.close(), two.close()]);
    },
  };
}

const messages = [{ role: 'user' as const, content: 'Hi' }];

test('lists the models of several upstreams under prefixed names, and routes by them', async () => {
  await using all = await startThreeUpstreams();
  const listed = await Array.fromAsync(all.client.models.list());
  expect(listed.map(({ id }) => id)).toEqual(['one/openai/gpt-oss-20b', 'two/gpt-oss:20b']);
  const answers = [];
  for (const model of [...listed.map(({ id }) => id), 'gpt-oss:20b']) {
    answers.push((await all.client.chat.completions.create({ model, messages })).choices[0]?.message.content);
  }
  expect(answers).toEqual(['One.', 'Two.', 'Two.']);
  const completion = await all.client.completions.create({ model: 'two/gpt-oss:20b', prompt: 'Hi' });
  expect(completion.model).toBe('gpt-oss:20b');
  expect(all.two.asked).toContain('POST /v1/completions');
  await all.client.embeddings.create({ model: 'one/embedder', input: 'Hi' });
  expect(all.one.asked).toContain('POST /v1/embeddings');
  await expect(all.client.chat.completions.create({ model: 'away/x', messages })).rejects.toThrow(
    /Cannot reach the upstream away/,
  );
});

test('passes the server’s refusal on if compaction is off', async () => {
  await using all = await startThreeUpstreams();
  const long = [{ role: 'user' as const, content: 'many words '.repeat(3_000) }];
  const request = { model: 'two/gpt-oss:20b', messages: long };
  await expect(all.client.chat.completions.create(request)).rejects.toThrow(/context length/);
  expect(all.two.overflows).toBe(1);
});

test('shows the status of each model as JSON and as a page', async () => {
  await using all = await startThreeUpstreams();
  await all.client.chat.completions.create({ model: 'one/openai/gpt-oss-20b', messages });
  const root = all.gateway.url.replace('/v1', '');
  const ask = (accept: string) => rawRequest(root, { method: 'GET', path: '/status', headers: { accept } });
  const json = JSON.parse((await ask('*/*')).body.toString());
  expect(json.models).toMatchObject([
    { upstream: 'one', windowTokens: 2_048, windowSource: 'LM Studio /api/v1/models', requests: 1 },
  ]);
  const page = (await ask('text/html')).body.toString();
  for (const text of ['openai/gpt-oss-20b', '2,048', 'LM Studio /api/v1/models', 'passed unchanged'])
    expect(page).toContain(text);
});

test('finds a model without a prefix before any list was requested, and routes an unlisted one to the first', async () => {
  await using all = await startThreeUpstreams();
  const { client, one, two, gateway } = all;
  await client.chat.completions.create({ model: two.model, messages });
  expect([one.requests.length, two.requests.length]).toEqual([0, 1]);
  await client.completions.create({ model: 'unlisted', prompt: 'x' }).catch(() => {});
  expect(one.asked).toContain('POST /v1/completions');
  expect((await rawRequest(gateway.url, { method: 'GET', path: '/models/%E0%A4%A' })).status).toBe(404);
});

test.each([
  ['', '/v1/chat/completions'],
  ['/', '/v1/chat/completions'],
  ['/v1/', '/v1/chat/completions'],
  ['/api', '/api/chat/completions'],
  ['/v1/chat/completions', '/v1/chat/completions'],
])('sends requests to an address ending in "%s" to %s', async (end, path) => {
  await using upstream = await startRecordingUpstream((_, response) => void response.end('{}'));
  await using gateway = await startTestGateway(upstream.url.replace('/v1', end));
  await rawRequest(gateway.url, { body: JSON.stringify({ model: 'm', messages }) });
  expect(upstream.received.map(({ url }) => url)).toEqual([path]);
});

test('refuses an address with a query at the start, and does not show the query or the password', async () => {
  const baseUrl = 'http://me:pass@127.0.0.1:9/v1?key=x';
  await expect(startTestGateway(baseUrl)).rejects.toThrow(/not in a query: http:\/\/127\.0\.0\.1:9\/v1\?…$/);
});

test('routes a compressed body of any path by its model', async () => {
  await using all = await startThreeUpstreams();
  const body = gzipSync(JSON.stringify({ model: 'two/x', prompt: 'y' }));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  await rawRequest(all.gateway.url, { path: '/completions', headers, body });
  expect([all.one.asked, all.two.asked].map((asked) => asked.includes('POST /v1/completions'))).toEqual([
    false,
    true,
  ]);
});
