import { NO_BUDGETS, type TokenUsage } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import { playedDriver, usageOf } from '@longhaul/testing/doubles';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AllowedCall, SpendingMeter } from './spending-meter.ts';

const BUDGET = 100;
const SENT = usageOf(3, 0);
const driver = playedDriver([]);

type Move = { meter: number; tokens: number; end: 'answer' | 'fail' | 'kill' | undefined };

it('never spends more than the budget and the calls that were under way when it was reached', async () => {
  const move = fc.record<Move>({
    meter: fc.nat(4),
    tokens: fc.integer({ min: 3, max: 40 }),
    end: fc.constantFrom('answer', 'fail', 'kill', undefined),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 10, maxLength: 60 }), async (moves) => {
      const store = createMemoryStore();
      const open = () => opened(store);
      const meters = Array.from({ length: 5 }, open);
      const underWay: { call: AllowedCall; tokens: number }[] = [];
      let spent = 0;
      let most = BUDGET;
      for (const { meter, tokens, end } of moves) {
        const first = end === undefined ? undefined : underWay.shift();
        if (first !== undefined && end !== 'kill') {
          const used = end === 'answer' ? first.tokens : 0;
          await first.call.settle(end === 'answer' ? usageOf(used, 0) : undefined);
          spent += used;
        } else if (first !== undefined) {
          // Nobody learns what a killed call has used. What it sent counts.
          spent += SENT.totalTokens;
          meters[meter] = open();
        }
        const call = await meters[meter]?.begin(driver, SENT).catch(() => undefined);
        if (call === undefined) continue;
        expect(spent).toBeLessThan(BUDGET);
        underWay.push({ call, tokens });
        most = BUDGET + underWay.reduce((sum, each) => sum + each.tokens, 0);
      }
      for (const { call, tokens } of underWay) {
        await call.settle(usageOf(tokens, 0));
        spent += tokens;
      }
      expect(spent).toBeLessThan(most);
      expect((await store.readSpent({ owner: 'ann' })).day.tokens).toBe(spent);
    }),
    { numRuns: 60 },
  );
});

it('sums up the same for every order in which calls end', async () => {
  const store = createMemoryStore();
  const meter = opened(store, 1_000_000);
  const calls = await Promise.all(Array.from({ length: 20 }, () => meter.begin(driver, SENT)));
  await Promise.all(calls.toReversed().map((call, index) => call.settle(usageOf(index, 1))));
  const expected = (20 * 19) / 2 + 20;
  expect((await store.readSpent({ sessionId: 's', owner: 'ann' })).session.tokens).toBe(expected);
  expect(await store.listUsage({ by: [], limit: 1 })).toMatchObject([{ calls: 20 }]);
});

function opened(store: ReturnType<typeof createMemoryStore>, tokens = BUDGET): SpendingMeter {
  return new SpendingMeter({
    store,
    owner: async () => ({ owner: 'ann', sessionId: 's' }),
    budgetsFor: () => ({ ...NO_BUDGETS, day: { tokens, costUsd: null } }),
    costOf: (usage: TokenUsage) => usage.totalTokens / 1_000,
    reported: new Set(),
  });
}
