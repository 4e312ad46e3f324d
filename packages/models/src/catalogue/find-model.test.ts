import { describe, expect, it } from 'vitest';
import { costOf } from '../usage-cost.ts';
import { catalogueModels, catalogueNames, findModel, findProvidersOf } from './find-model.ts';
import { HOSTED_PROVIDERS, hostedProviderAt } from './hosted-providers.ts';
import { listedModels } from './listed-models.ts';

describe('findModel', () => {
  it.each([
    ['anthropic', 'claude-sonnet-4-5', 'claude-sonnet-4-5'],
    ['anthropic', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['anthropic', 'claude-opus-5-5', 'claude-opus-5-5'],
    ['openai', 'gpt-5.1-2025-11-13', 'gpt-5.1'],
    ['openai', 'gpt-5-mini', 'gpt-5-mini'],
    ['google', 'gemini-2.5-flash-lite', 'gemini-2.5-flash-lite'],
    ['google', 'gemini-2.5-pro-latest', 'gemini-2.5-pro'],
  ])('%s/%s is %s', (provider, model, expected) => {
    expect(findModel(provider, model)?.model).toBe(expected);
  });

  it.each([
    ['anthropic', 'claude-opus-5-9'],
    ['openai', 'gpt-5.9'],
    ['openai', 'gpt-5-search'],
    ['openai', 'claude-sonnet-4-5'],
    ['mine', 'gpt-5'],
  ])('returns undefined for %s/%s', (provider, model) => {
    expect(findModel(provider, model)).toBeUndefined();
  });

  it('finds the providers of a model without one', () => {
    expect(findProvidersOf('gpt-5-mini')).toEqual(['openai']);
    expect(findProvidersOf('llama')).toEqual([]);
  });
});

describe('the catalogue', () => {
  it('has several hundred models of each kind of provider, with sane numbers', () => {
    const models = catalogueModels();
    expect(models.length).toBeGreaterThan(500);
    expect(new Set(models.map(({ provider }) => provider))).toEqual(new Set(Object.keys(HOSTED_PROVIDERS)));
    for (const { provider, model, windowTokens, maxOutputTokens, price } of models) {
      const name = `${provider}/${model}`;
      expect(windowTokens, name).toBeGreaterThanOrEqual(1024);
      expect(maxOutputTokens ?? 1, name).toBeLessThanOrEqual(windowTokens);
      expect(Math.min(price?.input ?? 0, price?.output ?? 0), name).toBeGreaterThanOrEqual(0);
      expect(price?.output ?? 0, name).toBeLessThan(1000);
    }
    expect(new Set(models.map(({ provider, model }) => `${provider}/${model}`)).size).toBe(models.length);
  });

  it('finds models of the public list, and prefers checked numbers', () => {
    expect(findModel('deepseek', 'deepseek-v4-pro')).toMatchObject({
      windowTokens: 1_000_000,
      reasoning: true,
    });
    expect(findModel('openrouter', 'deepseek/no-such-model')).toBeUndefined();
    expect(findModel('constructor', 'x')).toBeUndefined();
    const listed = listedModels().models['openai']?.['gpt-6-sol'];
    expect(listed?.windowTokens).toBe(272_000);
    expect(findModel('openai', 'gpt-6-sol')?.windowTokens).toBe(1_050_000);
    expect(catalogueModels().find(({ model }) => model === 'gpt-6-sol')).toMatchObject({
      windowTokens: 1_050_000,
      reasoning: true,
    });
  });

  it('names models that can be called without an address', () => {
    const providers = new Set(catalogueNames().map((name) => name.slice(0, name.indexOf('/'))));
    expect(providers).toEqual(new Set(['anthropic', 'openai', 'google']));
    expect(findProvidersOf('deepseek-v4-pro')).toEqual([]);
  });

  it.each([
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://api.together.xyz/v1', 'together'],
    ['https://api.anthropic.com', 'anthropic'],
    ['http://127.0.0.1:1234/v1', undefined],
    ['https://openrouter.ai.example.com/v1', undefined],
    ['not an address', undefined],
  ])('the provider at %s is %s', (baseUrl, provider) => {
    expect(hostedProviderAt(baseUrl)).toBe(provider);
  });
});

describe('costOf', () => {
  const usage = {
    inputTokens: 100_000,
    outputTokens: 1000,
    reasoningTokens: 500,
    cacheReadTokens: 80_000,
    cacheWriteTokens: 10_000,
    totalTokens: 101_000,
  };

  it('prices cached input separately, and reasoning once', () => {
    const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
    expect(costOf(usage, price)).toBeCloseTo(0.03 + 0.024 + 0.0375 + 0.015, 10);
  });

  it('prices cached input like other input if it has no own price', () => {
    expect(costOf(usage, { input: 3, output: 15 })).toBeCloseTo(0.3 + 0.015, 10);
  });

  it('uses the higher prices only above their threshold', () => {
    const long = { aboveTokens: 100_000, input: 6, output: 30 };
    const price = { input: 3, output: 15, long };
    expect(costOf(usage, price)).toBeCloseTo(0.315, 10);
    expect(costOf({ ...usage, inputTokens: 100_001 }, price)).toBeCloseTo(0.630006, 10);
  });
});
