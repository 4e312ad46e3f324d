import type { ViewAssistantMessage, ViewMessage } from '@longhaul/context/engine';
import type { StepRequest } from '@longhaul/core';
import type { ReasoningSettings } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createModelDriver } from '../src/model-driver.ts';
import type { ProviderKind } from '../src/wire-profile.ts';
import { startChatServer } from './chat-server.ts';
import { collect, MODEL_INFO, requestOf, userSays } from './drive.ts';
import { tested } from './tested-driver.ts';

const ADDRESSES: Readonly<Record<string, string>> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  openrouter: 'https://openrouter.ai/api/v1',
  mine: 'http://127.0.0.1:1234/v1',
  proxy: 'https://models.example.com/v1',
};
const MAX_OUTPUT = 64_000;

/** Creates the driver for a model at the usual address of its provider, with a server that records requests. */
async function reasoner(name: string, reasoning: ReasoningSettings, body = {}) {
  const [provider = '', ...rest] = name.split('/');
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const isHosted = ['anthropic', 'openai', 'google'].includes(provider);
  const kind = provider === 'proxy' ? 'openai' : 'openai-compatible';
  const driver = await createModelDriver({
    kind: isHosted ? (provider as ProviderKind) : kind,
    provider,
    model: rest.join('/'),
    baseUrl: ADDRESSES[provider] ?? '',
    apiKey: 'the-key',
    info: { ...MODEL_INFO, maxOutputTokens: MAX_OUTPUT },
    fetch: (_input, init) => fetch(server.url, init),
    extras: { body },
    settings: { ...tested.settings, reasoning },
  });
  return { driver, server };
}

async function sent(
  name: string,
  reasoning: ReasoningSettings,
  { messages = [userSays('Hi')], body, ...request }: Partial<StepRequest> & { body?: object } = {},
) {
  const { driver, server } = await reasoner(name, reasoning, body);
  await collect(driver, requestOf([...messages], { maxOutputTokens: MAX_OUTPUT, ...request }));
  return JSON.parse(server.requests[0] ?? '');
}

const enabled = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });
const level = (thinkingConfig: object) => ({ generationConfig: { thinkingConfig } });

describe('effort and budget are in the field that the provider documents', () => {
  test.each<[string, ReasoningSettings, object]>([
    [
      'anthropic/claude-opus-4-8',
      { effort: 'high' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    ['anthropic/claude-sonnet-5', { effort: 'xhigh' }, { output_config: { effort: 'xhigh' } }],
    ['anthropic/claude-haiku-5-5', { effort: 'none' }, { thinking: { type: 'disabled' } }],
    ['anthropic/claude-sonnet-5-5', { effort: 'none' }, { thinking: { type: 'between_tools' } }],
    ['anthropic/claude-sonnet-4-5-20250929', { effort: 'medium' }, enabled(10_240)],
    ['anthropic/claude-3-7-sonnet-20250219', { budgetTokens: 5_000 }, enabled(5_000)],
    ['anthropic/claude-opus-4-6', { budgetTokens: 16_000 }, enabled(16_000)],
    ['anthropic/claude-sonnet-4-5', { budgetTokens: 0 }, { thinking: { type: 'disabled' } }],
    ['anthropic/glm-5', { effort: 'low' }, enabled(4_096)],
    ['openai/gpt-5.2', { effort: 'xhigh' }, { reasoning: { effort: 'xhigh' }, store: false }],
    ['openai/gpt-5.1', { effort: 'none' }, { reasoning: { effort: 'none' } }],
    ['openai/gpt-5-mini-2025-08-07', { effort: 'minimal' }, { reasoning: { effort: 'minimal' } }],
    ['openai/gpt-5.1-codex-max', { effort: 'xhigh' }, { reasoning: { effort: 'xhigh' } }],
    ['openai/gpt-5.6-sol', { effort: 'max' }, { reasoning: { effort: 'max' } }],
    ['openai/gpt-9', { effort: 'max' }, { reasoning: { effort: 'max' } }],
    ['proxy/gpt-5', { effort: 'max' }, { reasoning: { effort: 'max' } }],
    ['mine/gpt-5', { effort: 'max' }, { reasoning_effort: 'max' }],
    ['google/gemini-4-hydrogen', { effort: 'xhigh' }, level({ thinkingLevel: 'xhigh' })],
    ['google/gemini-3-pro-preview', { effort: 'low' }, level({ thinkingLevel: 'low' })],
    ['google/gemini-3-pro-preview', { budgetTokens: 2_000 }, level({ thinkingBudget: 2_000 })],
    ['google/gemini-2.5-pro', { effort: 'medium' }, level({ thinkingBudget: 10_240 })],
    ['google/gemini-2.5-flash', { effort: 'none' }, level({ thinkingBudget: 0 })],
    ['google/gemini-2.5-flash', { effort: 'max' }, level({ thinkingBudget: 24_576 })],
    ['openrouter/openai/gpt-5.2', { effort: 'minimal' }, { reasoning: { effort: 'minimal' } }],
    ['openrouter/anthropic/claude-sonnet-4.5', { budgetTokens: 8_000 }, { reasoning: { max_tokens: 8_000 } }],
    ['openrouter/qwen/qwen3', { budgetTokens: 0 }, { reasoning: { effort: 'none' } }],
    ['mine/gpt-oss:20b', { effort: 'high' }, { reasoning_effort: 'high' }],
  ])('%s with %j', async (name, reasoning, fields) => {
    expect(await sent(name, reasoning)).toMatchObject(fields);
  });

  test.each(['anthropic/claude-opus-4-8', 'openai/gpt-5.2', 'google/gemini-2.5-pro', 'mine/qwen3'])(
    '%s gets no such field without a setting',
    async (name) => {
      const body = await sent(name, {});
      expect(JSON.stringify(body)).not.toMatch(/thinking|effort|"reasoning"/);
    },
  );
});

describe('a setting that a provider refuses', () => {
  test.each<[string, ReasoningSettings, RegExp]>([
    ['anthropic/claude-opus-4-8', { budgetTokens: 4_000 }, /no budget.*Set reasoning.effort/],
    ['anthropic/claude-sonnet-4-5', { budgetTokens: 1_000 }, /smallest budget is 1024/],
    ['anthropic/claude-sonnet-4-5', { budgetTokens: 64_000 }, /at most 64000 tokens. Set at most 63000/],
    ['anthropic/claude-opus-4-6', { effort: 'xhigh' }, /no reasoning effort "xhigh".*low, medium, high, max/],
    ['anthropic/claude-opus-5-5', { effort: 'none' }, /always thinks.*low/],
    ['anthropic/claude-sonnet-5', { effort: 'minimal' }, /no reasoning effort "minimal"/],
    ['openai/gpt-5.2', { budgetTokens: 4_000 }, /OpenAI has no budget/],
    [
      'openai/gpt-5',
      { effort: 'xhigh' },
      /no reasoning effort "xhigh". Set one of minimal, low, medium, high\./,
    ],
    ['openai/gpt-5-codex', { effort: 'minimal' }, /Set one of low, medium, high\./],
    ['openai/gpt-5.1', { effort: 'xhigh' }, /Set one of none, low, medium, high\./],
    ['openai/gpt-5.1-codex', { effort: 'none' }, /Set one of low, medium, high\./],
    ['openai/gpt-5.2', { effort: 'max' }, /Set one of none, low, medium, high, xhigh\./],
    ['openai/gpt-5-pro', { effort: 'low' }, /Its only one is high\./],
    ['openai/o3-mini-2025-01-31', { effort: 'minimal' }, /Set one of low, medium, high\./],
    ['openai/gpt-4.1', { effort: 'low' }, /does not reason/],
    ['google/gemini-3.1-pro-preview', { effort: 'minimal' }, /Set one of low, medium, high\./],
    ['google/gemini-3-pro-preview', { effort: 'xhigh' }, /Set one of minimal, low, medium, high/],
    ['google/gemini-2.5-pro', { budgetTokens: 0 }, /always thinks.*128/],
    ['google/gemini-2.5-flash-lite', { budgetTokens: 100 }, /takes 512 to 24576/],
    ['openrouter/anthropic/claude-sonnet-4.5', { budgetTokens: 500 }, /smallest budget is 1024/],
    ['mine/qwen3', { budgetTokens: 4_000 }, /no common field for a budget.*body/],
  ])('%s with %j is named before a request', async (name, reasoning, message) => {
    const refused = await reasoner(name, reasoning).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(LonghaulError);
    expect(refused).toMatchObject({ code: 'config_invalid', message: expect.stringMatching(message) });
    expect(String(refused)).toContain(name);
  });
});

test('a budget leaves room for a short answer, and is left out where it does not fit', async () => {
  const budget = async (name: string, maxOutputTokens: number) =>
    sent(name, { budgetTokens: 16_000 }, { maxOutputTokens });
  expect(await budget('anthropic/claude-sonnet-4-5', 10_000)).toMatchObject(enabled(9_000));
  expect(await budget('anthropic/claude-sonnet-4-5', 1_500)).not.toHaveProperty('thinking');
  expect(await budget('openrouter/qwen/qwen3', 10_000)).toMatchObject({ reasoning: { max_tokens: 9_000 } });
  expect(await budget('google/gemini-2.5-flash', 10_000)).toMatchObject(level({ thinkingBudget: 9_000 }));
});

test('anthropic: thinking does not begin between the tool calls of a turn', async () => {
  const call = { type: 'tool' as const, callId: 'a', name: 'look', input: {}, isError: false };
  const called = { ...call, output: [{ type: 'text' as const, text: 'seen' }] };
  const model = 'anthropic/claude-sonnet-4-5';
  const thought = {
    type: 'reasoning' as const,
    text: 'hm',
    providerMetadata: { anthropic: { signature: 'sig' } },
  };
  const answer = (content: ViewAssistantMessage['content']): ViewMessage[] => [
    userSays('Go.'),
    { role: 'assistant', content, model },
  ];
  const ask = (messages: ViewMessage[]) => sent(model, { budgetTokens: 4_000 }, { messages });
  expect(await ask(answer([called]))).not.toHaveProperty('thinking');
  expect(await ask(answer([thought, called]))).toMatchObject(enabled(4_000));
  const done: ViewMessage = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }], model };
  const ended = [...answer([called]), done];
  expect(await ask([...ended, userSays('And now?')])).toMatchObject(enabled(4_000));
});

test('fields of providers.NAME.body replace those of the setting', async () => {
  const body = { reasoning_effort: 'low', other: 1 };
  expect(await sent('mine/qwen3', { effort: 'high' }, { body })).toMatchObject(body);
  const removed = await sent('mine/qwen3', { effort: 'high' }, { body: { reasoning_effort: null } });
  expect(removed).not.toHaveProperty('reasoning_effort');
});

test.each<[ReasoningSettings, number | undefined]>([
  [{ budgetTokens: 12_000 }, 12_000],
  [{ effort: 'low' }, 4_096],
  [{ effort: 'none' }, 0],
  [{}, undefined],
])('%j: the driver reports %j tokens for reasoning', async (reasoning, tokens) => {
  const { driver } = await reasoner('anthropic/claude-sonnet-4-5', reasoning);
  expect(driver.info.reasoningTokens).toBe(tokens);
});
