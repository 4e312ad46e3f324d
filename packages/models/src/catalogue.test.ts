import { describe, expect, it } from 'vitest';
import { findModel, findProvidersOf } from './catalogue.ts';
import { costOf } from './usage-cost.ts';

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

  it('prices cached input like other input if it has no price of its own', () => {
    expect(costOf(usage, { input: 3, output: 15 })).toBeCloseTo(0.3 + 0.015, 10);
  });

  it('uses the higher prices only above their threshold', () => {
    const long = { aboveTokens: 100_000, input: 6, output: 30 };
    const price = { input: 3, output: 15, long };
    expect(costOf(usage, price)).toBeCloseTo(0.315, 10);
    expect(costOf({ ...usage, inputTokens: 100_001 }, price)).toBeCloseTo(0.630006, 10);
  });
});
