import { ZERO_USAGE } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { NO_LIMITS, reachedLimit } from './run-limits.ts';

it('uses the singular for a limit of one', () => {
  const progress = { steps: 2, usage: ZERO_USAGE, costUsd: 0, elapsedMs: 120_000 };
  expect(reachedLimit({ ...NO_LIMITS, steps: 1 }, progress)).toMatch(/^1 step \(/);
  expect(reachedLimit({ ...NO_LIMITS, steps: 2 }, progress)).toMatch(/^2 steps \(/);
  expect(reachedLimit({ ...NO_LIMITS, minutes: 1 }, progress)).toMatch(/^1 minute \(/);
  expect(reachedLimit({ ...NO_LIMITS, steps: 3 }, progress)).toBeUndefined();
});
