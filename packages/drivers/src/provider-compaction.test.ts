import type { ViewMessage } from '@longhaul/context/engine';
import type { JsonValue } from '@longhaul/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { type RawAnswer, startChatServer, startStream } from '../test/chat-server.ts';
import { collect, MODEL_INFO, requestOf, userSays } from '../test/drive.ts';
import { HOSTED_STREAMS } from '../test/hosted-streams.ts';
import { createModelDriver } from './model-driver.ts';

type Kind = 'anthropic' | 'openai';

const MODELS = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5.1' } as const;

const BLOCK = {
  type: 'compaction',
  content: 'What was done.',
  encrypted_content: 'sealed',
  signature: 'sig',
};
const ITEM = { type: 'compaction', id: 'cmp_1', encrypted_content: 'sealed' };

interface Sent {
  path: string;
  beta: string | null;
  body: { messages: JsonValue[]; input: JsonValue[]; [field: string]: unknown };
}

async function start(
  kind: Kind,
  answers: RawAnswer[],
  driver: 'native' | 'ai-sdk' = 'native',
  model?: string,
) {
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const sent: Sent[] = [];
  server.answer((response) => (answers.length > 1 ? answers.shift() : answers[0])?.(response));
  const created = await createModelDriver({
    kind,
    provider: kind,
    model: model ?? MODELS[kind],
    baseUrl: server.url,
    apiKey: 'key',
    info: MODEL_INFO,
    settings: { driver },
    fetch: (input, init) => {
      sent.push({
        path: new URL(String(input)).pathname,
        beta: new Headers(init?.headers).get('anthropic-beta'),
        body: JSON.parse(String(init?.body)),
      });
      return fetch(input, init);
    },
  });
  return { driver: created, sent };
}

const json =
  (body: object, status = 200): RawAnswer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

const says =
  (kind: Kind): RawAnswer =>
  (response) => {
    startStream(response);
    response.end(HOSTED_STREAMS[kind].begin('Done.') + HOSTED_STREAMS[kind].end);
  };

const refusal = (message: string) =>
  json({ type: 'error', error: { type: 'invalid_request_error', message } }, 400);

const TASK = userSays('The task.');
const STEP: ViewMessage = {
  role: 'assistant',
  content: [
    {
      type: 'tool',
      callId: 'a',
      name: 'read',
      input: { path: 'x' },
      output: [{ type: 'text', text: 'content of x' }],
      isError: false,
    },
  ],
};

const compactionOf = (kept: ViewMessage[] = [TASK]) => ({
  ...requestOf([TASK, STEP], { system: 'Be terse.' }),
  kept,
});

function summaryBy(model: string, items: JsonValue[]): ViewMessage {
  const opaque = { blob: '@blob:x', model, items };
  return { role: 'assistant', content: [{ type: 'text', text: 'The ledger.', opaque }] };
}

const afterSummary = (model: string, items: JsonValue[]) =>
  requestOf([TASK, summaryBy(model, items), userSays('Continue.'), STEP], { system: 'Be terse.' });

test('anthropic: requests a compaction block on demand, and counts its tokens', async () => {
  const usage = {
    input_tokens: 5,
    output_tokens: 1,
    iterations: [{ type: 'compaction', input_tokens: 900, cache_read_input_tokens: 100, output_tokens: 40 }],
  };
  const answer = { type: 'message', content: [BLOCK], stop_reason: 'compaction', usage };
  const { driver, sent } = await start('anthropic', [json(answer)]);
  const compaction = await driver.compact?.(compactionOf());
  expect(compaction?.items).toEqual([BLOCK]);
  expect(compaction?.usage).toMatchObject({ inputTokens: 1000, cacheReadTokens: 100, outputTokens: 40 });
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({
    path: '/v1/messages',
    beta: 'compact-2026-09-04',
    body: { compaction: { type: 'summarize' }, system: [{ text: 'Be terse.' }] },
  });
  expect(sent[0]?.body).not.toHaveProperty('stream');
  expect(sent[0]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: [{ type: 'tool_result' }] });
});

test('anthropic: falls back to the compaction at a threshold if the server does not know the other', async () => {
  const answer = json({ content: [BLOCK], stop_reason: 'compaction' });
  const { driver, sent } = await start('anthropic', [
    refusal('compaction: Extra inputs are not permitted'),
    answer,
  ]);
  expect((await driver.compact?.(compactionOf()))?.items).toEqual([BLOCK]);
  expect(sent[1]).toMatchObject({
    beta: 'compact-2026-01-12',
    body: { context_management: { edits: [{ type: 'compact_20260112', pause_after_compaction: true }] } },
  });
});

test.each([
  [
    'a block that failed',
    json({ content: [{ type: 'compaction', content: null }] }),
    'provider_bad_response',
  ],
  ['no block', json({ content: [{ type: 'text', text: 'Hi.' }] }), 'provider_bad_response'],
  ['an overload', json({ error: { message: 'Overloaded' } }, 529), 'provider_overloaded'],
])('anthropic: fails on %s', async (_name, answer, code) => {
  const { driver } = await start('anthropic', [answer]);
  await expect(driver.compact?.(compactionOf())).rejects.toMatchObject({ code });
});

test('anthropic: sends the block first, in place of the text, and unchanged', async () => {
  const { driver, sent } = await start('anthropic', [says('anthropic')]);
  await collect(driver, afterSummary('anthropic/claude-opus-4-1', [BLOCK]));
  const { messages } = sent[0]?.body ?? { messages: [] };
  expect(messages[0]).toEqual({ role: 'assistant', content: [BLOCK] });
  expect(messages[1]).toMatchObject({
    role: 'user',
    content: [{ text: 'The task.' }, { text: 'Continue.' }],
  });
  expect(JSON.stringify(messages)).not.toContain('The ledger.');
  expect(sent[0]?.beta).toBe('compact-2026-09-04');
});

test('openai: requests a compaction, and keeps no message twice', async () => {
  const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
  const output = [user('The task.'), user('A later wish.'), ITEM];
  const usage = { input_tokens: 900, output_tokens: 40, input_tokens_details: { cached_tokens: 100 } };
  const { driver, sent } = await start('openai', [json({ object: 'response.compaction', output, usage })]);
  const compaction = await driver.compact?.(compactionOf());
  expect(compaction?.items).toEqual([user('A later wish.'), ITEM]);
  expect(compaction?.usage).toMatchObject({ inputTokens: 900, cacheReadTokens: 100, outputTokens: 40 });
  expect(sent[0]?.path).toBe('/v1/responses/compact');
  expect(Object.keys(sent[0]?.body ?? {}).sort()).toEqual(['input', 'instructions', 'model']);
});

test('openai: sends the items in the place of the summary', async () => {
  const { driver, sent } = await start('openai', [says('openai')]);
  await collect(driver, afterSummary('openai/gpt-5.2', [ITEM]));
  const { input } = sent[0]?.body ?? { input: [] };
  expect(input[0]).toMatchObject({ role: 'user', content: [{ text: 'The task.' }] });
  expect(input[1]).toEqual(ITEM);
  expect(JSON.stringify(input)).not.toContain('The ledger.');
});

test.each(['anthropic', 'openai'] as const)(
  '%s: sends beside the item what must stay word for word, and once beside the ledger',
  async (kind) => {
    const { driver, sent } = await start(kind, [says(kind), refusal('Unknown item.'), says(kind)]);
    const items = [kind === 'anthropic' ? BLOCK : ITEM];
    const model = `${kind}/${MODELS[kind]}`;
    const opaque = { blob: '@blob:x', model, items, verbatim: '### Kept\n- the port is 8443' };
    const text = `The ledger.\n\n${opaque.verbatim}`;
    for (const role of ['user', 'assistant'] as const) {
      const summary: ViewMessage = { role, content: [{ type: 'text', text, opaque }] };
      await collect(driver, requestOf([TASK, summary, STEP], { system: 'Be terse.' }));
    }
    const bodies = sent.map(({ body }) => JSON.stringify(body));
    expect(bodies.map((body) => body.split('the port is 8443').length - 1)).toEqual([1, 1, 1]);
    expect(bodies.map((body) => body.includes('The ledger.'))).toEqual([false, false, true]);
  },
);

test.each<[string, Parameters<typeof start>[2], string, string | undefined]>([
  ['another provider', 'native', 'mine/claude-sonnet-4-5', undefined],
  ['another family', 'native', 'anthropic/claude-sonnet-4-5', 'fable-1'],
  ['the AI SDK', 'ai-sdk', 'anthropic/claude-sonnet-4-5', undefined],
])('sends the text of the ledger to %s', async (_name, driverName, maker, model) => {
  const { driver, sent } = await start('anthropic', [says('anthropic')], driverName, model);
  await collect(driver, afterSummary(maker, [BLOCK]));
  const body = JSON.stringify(sent[0]?.body);
  expect(body).toContain('The ledger.');
  expect(body).not.toContain('sealed');
});

test.each(['anthropic', 'openai'] as const)(
  '%s: sends the text after a refusal of the item, from then on',
  async (kind) => {
    const { driver, sent } = await start(kind, [refusal('The signature does not verify.'), says(kind)]);
    const request = afterSummary(`${kind}/${MODELS[kind]}`, [kind === 'anthropic' ? BLOCK : ITEM]);
    expect((await collect(driver, request)).at(-1)).toMatchObject({ type: 'finish' });
    await collect(driver, request);
    expect(sent.map(({ body }) => JSON.stringify(body).includes('sealed'))).toEqual([true, false, false]);
  },
);

test('is absent for drivers of the AI SDK', async () => {
  expect((await start('anthropic', [json({})], 'ai-sdk')).driver.compact).toBeUndefined();
});
