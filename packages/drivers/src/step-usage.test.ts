import { expect, test } from 'vitest';
import { toUsage } from './step-usage.ts';

function reported(input: unknown, output: unknown, parts: Record<string, unknown> = {}) {
  const { cacheRead, cacheWrite, reasoning } = parts;
  // What a server sends need not have the types of the client.
  const usage = JSON.parse(
    JSON.stringify({
      inputTokens: { total: input, cacheRead, cacheWrite },
      outputTokens: { total: output, reasoning },
    }).replace('"1e999"', '1e999'),
  );
  return toUsage(usage);
}

test('a credible usage is kept', () => {
  expect(reported(100, 20, { cacheRead: 60, cacheWrite: 30, reasoning: 5 })).toEqual({
    inputTokens: 100,
    outputTokens: 20,
    reasoningTokens: 5,
    cacheReadTokens: 60,
    cacheWriteTokens: 30,
    totalTokens: 120,
  });
  expect(reported(0, undefined)?.totalTokens).toBe(0);
  expect(reported(null, 7)?.totalTokens).toBe(7);
});

test.each([
  [undefined, undefined],
  [null, null],
  [-1_000_000, 5],
  [5, -1],
  [1e308, 1],
  ['1e999', 1],
  [1, 1e300],
  [12.5, 1],
  ['12', 1],
  [100_000_001, 1],
  [{}, 1],
])('an input of %j tokens and an output of %j are an unknown usage', (input, output) => {
  expect(reported(input, output)).toBeUndefined();
});

test.each([
  [{ cacheRead: -500 }],
  [{ cacheRead: 101 }],
  [{ cacheRead: 1e308 }],
  [{ cacheWrite: -1 }],
  [{ cacheWrite: 101 }],
  [{ reasoning: -3 }],
  [{ reasoning: 21 }],
  [{ reasoning: 'all' }],
])('parts that do not fit into their number are left out: %j', (parts) => {
  expect(reported(100, 20, parts)).toMatchObject({
    reasoningTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    totalTokens: 120,
  });
});

test('cache reads and cache writes together never exceed the input', () => {
  expect(reported(100, 20, { cacheRead: 60, cacheWrite: 50 })).toMatchObject({
    cacheReadTokens: 60,
    cacheWriteTokens: 0,
  });
});
