import { expect, test } from 'vitest';
import { runFuzz } from './run-fuzz.ts';

test('answers 1,500 mostly valid requests without a 5xx, a hang or a run that is left', {
  timeout: 300_000,
}, async () => {
  const result = await runFuzz({ requests: 1_500, seed: 20_261_128 });
  expect(result.failures).toEqual([]);
  expect(result).toMatchObject({ unhealthy: 0, leftRunning: 0, logged: [] });
  expect(result.runs).toBeGreaterThan(20);
  // Requests succeed, too: with names that the server has shown.
  for (const operation of ['importSession', 'answerApproval', 'editQueued', 'removeQueued']) {
    const byStatus = Object.entries(result.statuses[operation] ?? {});
    expect([operation, byStatus.some(([status]) => Number(status) < 300)]).toEqual([operation, true]);
  }
  const succeeded = Object.entries(result.statuses).filter(([, byStatus]) =>
    Object.keys(byStatus).some((status) => Number(status) < 300),
  );
  expect(succeeded.length).toBeGreaterThan(20);
});
