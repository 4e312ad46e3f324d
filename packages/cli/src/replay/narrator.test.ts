import type { SummaryRequest } from '@longhaul/context/engine';
import type { ModelDriver, ModelPrice } from '@longhaul/core';
import { describe, expect, it } from 'vitest';
import { narratorOf } from './narrator.ts';

const usage = {
  inputTokens: 1_000,
  outputTokens: 100,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  totalTokens: 1_100,
};

/** A model whose answers wait until `answer` is called. */
function model(price?: ModelPrice) {
  const waiting: (() => void)[] = [];
  const driver = {
    info: { provider: 'a', model: 'm', windowTokens: 16_000, maxOutputTokens: 1_000, price },
    async *step() {
      await new Promise<void>((resolve) => waiting.push(resolve));
      yield { type: 'text-delta', text: 'The work goes on.' };
      yield { type: 'finish', finishReason: 'stop', usage };
    },
  } as unknown as ModelDriver;
  const answer = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { driver, answer };
}

/** About 1,000 tokens and an answer of at most 100. At 1 dollar for 1,000 tokens, 1.1 dollars, and 1.43 reserved. */
const request: SummaryRequest = {
  mode: 'transcript',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'word '.repeat(796) }] }],
  maxOutputTokens: 100,
};
const PRICE = { input: 1_000, output: 1_000 };
const { signal } = new AbortController();

describe('narratives of a replay', () => {
  it('are counted with their cost', async () => {
    const { driver, answer } = model(PRICE);
    const { summarise, count } = narratorOf(driver, { signal });
    const reply = summarise(request);
    answer();
    expect(await reply).toMatchObject({ status: 'ok', text: 'The work goes on.' });
    expect(count).toEqual({ written: 1, failed: 0, refused: 0, costUsd: 1.1 });
  });

  it('are refused if they could exceed the limit, also together with those that are running', async () => {
    const { driver, answer } = model(PRICE);
    const { summarise, count } = narratorOf(driver, { signal, maxCostUsd: 2.6 });
    const first = summarise(request);
    expect(await summarise(request)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('cost'),
    });
    answer();
    await first;
    const second = summarise(request);
    answer();
    expect(await second).toMatchObject({ status: 'ok' });
    expect(await summarise(request)).toMatchObject({ status: 'failed' });
    expect(count).toEqual({ written: 2, failed: 0, refused: 2, costUsd: 2.2 });
  });

  it('have no cost without a price', async () => {
    const { driver, answer } = model();
    const { summarise, count } = narratorOf(driver, { signal });
    const reply = summarise(request);
    answer();
    await reply;
    expect(count.costUsd).toBeUndefined();
  });
});
