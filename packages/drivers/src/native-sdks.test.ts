import type { IncomingHttpHeaders } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type RawAnswer, startChatServer, startStream } from '../test/chat-server.ts';
import { collect, MODEL_INFO, requestOf, userSays } from '../test/drive.ts';
import { HOSTED_STREAMS } from '../test/hosted-streams.ts';
import { createModelDriver } from './model-driver.ts';
import type { ProviderKind } from './wire-profile.ts';

const KINDS = ['anthropic', 'openai', 'openai-compatible'] as const;

async function native(kind: ProviderKind, answer: RawAnswer | string) {
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const sent: { url: string; headers: IncomingHttpHeaders }[] = [];
  server.answer(
    typeof answer === 'function'
      ? answer
      : (response) => {
          startStream(response);
          response.end(answer);
        },
  );
  const driver = await createModelDriver({
    kind,
    provider: 'mine',
    model: 'served-model',
    baseUrl: server.url,
    apiKey: 'the-key',
    info: MODEL_INFO,
    settings: { driver: 'native' },
    fetch: (input, init) => {
      sent.push({ url: String(input), headers: Object.fromEntries(new Headers(init?.headers)) });
      return fetch(input, init);
    },
  });
  return { driver, server, sent };
}

const textOf = (events: Awaited<ReturnType<typeof collect>>) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

test.each(KINDS)('%s: sends no header that the SDK takes from the environment', async (kind) => {
  for (const name of ['ANTHROPIC', 'OPENAI']) {
    vi.stubEnv(`${name}_CUSTOM_HEADERS`, 'x-team: secret-team\nauthorization: Bearer another-key');
    vi.stubEnv(`${name}_API_KEY`, 'key-of-the-environment');
    vi.stubEnv(`${name}_BASE_URL`, 'http://127.0.0.1:9/v1');
  }
  vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-of-the-environment');
  vi.stubEnv('OPENAI_ORG_ID', 'org-of-the-environment');
  vi.stubEnv('OPENAI_PROJECT_ID', 'project-of-the-environment');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { driver, sent } = await native(kind, '');
  await collect(driver);
  expect(sent).toHaveLength(1);
  expect(JSON.stringify(sent)).not.toMatch(/secret-team|another-key|of-the-environment/);
  const { authorization, 'x-api-key': key } = sent[0]?.headers ?? {};
  expect([authorization, key].filter(Boolean)).toEqual([kind === 'anthropic' ? 'the-key' : 'Bearer the-key']);
});

test('adds the path of the request to the configured address, as the AI SDK does', async () => {
  const { driver, sent, server } = await native('anthropic', '');
  await collect(driver);
  expect(sent[0]?.url).toBe(`${server.url}/messages`);
});

test('anthropic: reads events without names, which compatible servers send', async () => {
  const { begin, end } = HOSTED_STREAMS.anthropic;
  const unnamed = `${begin('Hello.')}${end}`.replace(/^event: .*\n/gm, '');
  const { driver } = await native('anthropic', unnamed);
  const events = await collect(driver);
  expect(textOf(events)).toBe('Hello.');
  expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop', usage: { inputTokens: 3 } });
});

test.each(['anthropic', 'openai'] as const)('%s: ignores unknown events and items', async (kind) => {
  const { begin, end } = HOSTED_STREAMS[kind];
  const unknown = [
    { type: 'ping' },
    { type: 'future_event', index: 0 },
    {},
    { type: 'content_block_start', index: 7, content_block: { type: 'future_block' } },
    { type: 'content_block_delta', index: 7, delta: { type: 'future_delta' } },
    { type: 'content_block_stop', index: 7 },
    { type: 'response.output_item.added', output_index: 3, item: { type: 'future_item', id: 'f' } },
    { type: 'response.output_item.done', output_index: 3, item: { type: 'future_item', id: 'f' } },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const { driver } = await native(kind, `${begin('Hello.')}data:\n\n${unknown.join('')}${end}`);
  const events = await collect(driver);
  expect(textOf(events)).toBe('Hello.');
  expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
});

test('anthropic: discards what a repeated start of the message left open', async () => {
  const event = (body: object) => `data: ${JSON.stringify(body)}\n\n`;
  const start = (id: string) =>
    event({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id, name: 'read', input: {} },
    });
  const piece = (text: string) =>
    event({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: text },
    });
  const message = event({ type: 'message_start', message: { id: 'm', model: 'served', usage: {} } });
  const end = event({
    type: 'message_delta',
    delta: { stop_reason: 'tool_use' },
    usage: { output_tokens: 5 },
  });
  const answer =
    message +
    start('a') +
    piece('{"path":') +
    message +
    start('b') +
    piece('{"path":"x"}') +
    event({ type: 'content_block_stop', index: 0 }) +
    end +
    event({ type: 'message_stop' });
  const events = await collect((await native('anthropic', answer)).driver);
  expect(events.filter((each) => each.type.startsWith('tool-call'))).toEqual([
    { type: 'tool-call', callId: 'b', name: 'read', input: { path: 'x' } },
  ]);
});

test('openai: separates the parts of a summary, and keeps the encrypted reasoning with the last one', async () => {
  const item = { id: 'rs_1', type: 'reasoning', summary: [] };
  const delta = (summary_index: number, text: string) => ({
    type: 'response.reasoning_summary_text.delta',
    item_id: 'rs_1',
    output_index: 0,
    summary_index,
    delta: text,
  });
  const events = [
    { type: 'response.created', response: { id: 'r', model: 'served' } },
    { type: 'response.output_item.added', output_index: 0, item },
    delta(0, 'First'),
    delta(1, 'Second'),
    { type: 'response.output_item.done', output_index: 0, item: { ...item, encrypted_content: 'sealed' } },
    { type: 'response.completed', response: { id: 'r', usage: { input_tokens: 3, output_tokens: 2 } } },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const seen = await collect((await native('openai', events.join(''))).driver, requestOf([userSays('Hi')]));
  expect(seen.filter((event) => event.type === 'reasoning-end')).toEqual([
    { type: 'reasoning-end', id: 'reasoning-1', providerMetadata: { openai: { itemId: 'rs_1' } } },
    {
      type: 'reasoning-end',
      id: 'reasoning-2',
      providerMetadata: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'sealed' } },
    },
  ]);
});

test('chat: reads calls without an index, with arguments as an object, and with one index for two', async () => {
  const call = (body: object) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [body] } }] })}\n\n`;
  const fn = (name: string, args: unknown) => ({ function: { name, arguments: args } });
  const answer =
    call({ id: 'a', ...fn('read', { path: 'x' }) }) +
    call({ id: 7, index: 0, ...fn('read', '{"path":') }) +
    call({ index: 0, function: { arguments: '"y"}' } }) +
    call({ id: 'c', index: 0, ...fn('list', '{}') }) +
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: null, finish_reason: 'tool_calls' }] })}\n\n` +
    `data: ${JSON.stringify({ usage: { prompt_tokens: 1, completion_tokens: 2 } })}\n\ndata: [DONE]\n\n`;
  const events = await collect((await native('openai-compatible', answer)).driver);
  expect(events.filter((event) => event.type.startsWith('tool-call'))).toEqual([
    { type: 'tool-call', callId: 'a', name: 'read', input: { path: 'x' } },
    { type: 'tool-call', callId: '7', name: 'read', input: { path: 'y' } },
    { type: 'tool-call', callId: 'c', name: 'list', input: {} },
  ]);
  expect(events.at(-1)).toMatchObject({ finishReason: 'tool-calls', usage: { totalTokens: 3 } });
});
