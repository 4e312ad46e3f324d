import { expect, test } from 'vitest';
import { hasSucceeded, runFuzz } from './run-fuzz.ts';

/** Requests that use names which the server has shown before. */
const MUST_SUCCEED = ['importSession', 'answerApproval', 'editQueued', 'removeQueued'];

test('answers 1,500 or more mostly valid requests without a 5xx, a hang or a run that is left', {
  timeout: 600_000,
}, async () => {
  const result = await runFuzz({ requests: 1_500, seed: 20_261_128, mustSucceed: MUST_SUCCEED });
  expect(result.failures).toEqual([]);
  expect(result).toMatchObject({ unhealthy: 0, leftRunning: 0, logged: [] });
  expect(result.runs).toBeGreaterThan(20);
  const succeeded = Object.keys(result.statuses).filter((operation) => hasSucceeded(result, operation));
  expect(succeeded).toEqual(expect.arrayContaining(MUST_SUCCEED));
  expect(succeeded.length).toBeGreaterThan(20);
});
