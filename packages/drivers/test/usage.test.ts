import { costOf } from '@longhaul/models';
import { expect, onTestFinished, test } from 'vitest';
import { createModelDriver } from '../src/model-driver.ts';
import { chunk, startChatServer, startStream } from './chat-server.ts';
import { collect, MODEL_INFO } from './drive.ts';
import { DONE } from './raw-answers.ts';
import { startOn } from './run-on-server.ts';
import { tested } from './tested-driver.ts';

/** Plays an answer with the usage that a server sends, and returns the usage of the step. */
async function usageOf(reported: object | null) {
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.answer((response) => {
    startStream(response);
    const counted = { id: 'c1', object: 'chat.completion.chunk', created: 1, choices: [], usage: reported };
    const usage = `data: ${JSON.stringify(counted)}\n\n`;
    response.end(chunk({ content: 'Hi' }) + chunk({}, 'stop') + usage + DONE);
  });
  const driver = await createModelDriver({
    kind: 'openai-compatible',
    provider: 'mine',
    model: 'served-model',
    baseUrl: server.url,
    info: MODEL_INFO,
    ...tested,
  });
  const last = (await collect(driver)).at(-1);
  if (last?.type !== 'finish') throw new Error(`Expected a finish, got ${JSON.stringify(last)}.`);
  return last.usage;
}

const XAI = {
  prompt_tokens: 291,
  completion_tokens: 26,
  total_tokens: 513,
  prompt_tokens_details: { text_tokens: 291, audio_tokens: 0, image_tokens: 0, cached_tokens: 290 },
  completion_tokens_details: { reasoning_tokens: 196, audio_tokens: 0 },
  num_sources_used: 0,
};

test('the output of xAI includes the reasoning that it reports beside it, also in the cost', async () => {
  const usage = await usageOf(XAI);
  expect(usage).toMatchObject({
    inputTokens: 291,
    outputTokens: 222,
    reasoningTokens: 196,
    totalTokens: 513,
  });
  if (usage === undefined) throw new Error('Expected usage.');
  expect(costOf(usage, { input: 0, output: 1_000_000 })).toBe(222);
});

const COUNTS = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

test.each<[name: string, reported: object, expected: object]>([
  [
    'reasoning inside the output, as OpenAI reports it, is counted once',
    { ...COUNTS, completion_tokens_details: { reasoning_tokens: 15 } },
    { outputTokens: 20, reasoningTokens: 15 },
  ],
  [
    'reasoning beside a longer output is added if the total has it',
    { ...COUNTS, total_tokens: 135, completion_tokens_details: { reasoning_tokens: 15 } },
    { outputTokens: 35, reasoningTokens: 15, totalTokens: 135 },
  ],
  [
    'reasoning beside the output is recognised without a total, as it is larger',
    { prompt_tokens: 12, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 290 } },
    { outputTokens: 291, reasoningTokens: 290 },
  ],
  [
    'output that only the total has, as Google reports thoughts, is counted',
    { ...COUNTS, total_tokens: 300 },
    { inputTokens: 100, outputTokens: 200, totalTokens: 300 },
  ],
  [
    'cached input that only the total has is no output',
    { ...COUNTS, total_tokens: 150, prompt_tokens_details: { cached_tokens: 30 } },
    { outputTokens: 20 },
  ],
  ["SGLang's reasoning beside the details", { ...COUNTS, reasoning_tokens: 5 }, { reasoningTokens: 5 }],
  ["Moonshot's cached input", { ...COUNTS, cached_tokens: 64 }, { inputTokens: 100, cacheReadTokens: 64 }],
  [
    "Moonshot's cached input beside the usual field with 0",
    { ...COUNTS, cached_tokens: 64, prompt_tokens_details: { cached_tokens: 0 } },
    { cacheReadTokens: 64 },
  ],
  [
    "DeepSeek's cached input",
    { ...COUNTS, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
    { cacheReadTokens: 64 },
  ],
  [
    "LiteLLM's cached input, read and written",
    { ...COUNTS, cache_read_input_tokens: 60, cache_creation_input_tokens: 30 },
    { cacheReadTokens: 60, cacheWriteTokens: 30 },
  ],
  [
    "OpenRouter's cached input, read and written",
    { ...COUNTS, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } },
    { cacheReadTokens: 60, cacheWriteTokens: 30 },
  ],
  ['cached input that exceeds all input', { ...COUNTS, cached_tokens: 5000 }, { cacheReadTokens: 0 }],
])('%s', async (_name, reported, expected) => {
  expect(await usageOf(reported)).toMatchObject(expected);
});

test('the answer of a run names the client that made the call', async () => {
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { test: run } = await startOn(server);
  await run.run('go');
  expect(run.of('llm:response')).toMatchObject([{ router: tested.settings.driver }]);
});

test('no usage stays unknown', async () => {
  expect(await usageOf(null)).toBeUndefined();
});
