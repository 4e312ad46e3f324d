import { createServerLog } from '@longhaul/server';
import { createMemoryStore } from '@longhaul/storage/memory';
import { expect, it } from 'vitest';
import { DailyRetention } from './daily-retention.ts';

it('applies the limits once a day, at night without runs, or in the morning in any case', async () => {
  await using store = createMemoryStore();
  let time = new Date(2026, 0, 1, 2, 59);
  let activeRuns = 0;
  let limit = true;
  let collected = 0;
  const create = () =>
    new DailyRetention({
      store,
      hasLimit: () => limit,
      activeRuns: () => activeRuns,
      collect: async () => {
        collected += 1;
        if (collected === 2) throw new Error('The disk is full.');
        return {};
      },
      log: createServerLog({ write: () => {} }, { level: 'silent', mask: (text) => text }),
      now: () => time,
    });
  using retention = create();
  using other = create();
  const at = async (day: number, hour: number) => {
    time = new Date(2026, 0, day, hour);
    await retention.check();
    return collected;
  };
  expect(await at(1, 2)).toBe(0);
  activeRuns = 1;
  expect(await at(1, 3)).toBe(0);
  activeRuns = 0;
  expect(await at(1, 4)).toBe(1);
  expect(await at(1, 5)).toBe(1);
  await other.check();
  expect(collected).toBe(1);
  activeRuns = 1;
  // This one fails.
  expect(await at(2, 6)).toBe(2);
  expect(await at(2, 7)).toBe(2);
  expect(await at(3, 6)).toBe(3);
  limit = false;
  expect(await at(4, 6)).toBe(3);
});
