import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeBudget, isOverflow, outputRoom, triggerTokens } from './budget.ts';

function budgetOf(windowTokens: number, maxOutputTokens: number, fixedTokens = 0) {
  return computeBudget({ windowTokens, maxOutputTokens, fixedTokens });
}

describe('computeBudget', () => {
  it.each([
    { window: 200_000, maxOutput: 64_000, usable: 168_000, by: 'the cap on the reserve' },
    { window: 200_000, maxOutput: 8_192, usable: 191_808, by: "the model's own most output" },
    { window: 16_384, maxOutput: 16_384, usable: 12_288, by: 'a quarter of the window' },
    { window: 4_097, maxOutput: 8_000, usable: 3_072, by: 'a quarter of an odd window, rounded down' },
  ])('reserves $by', ({ window, maxOutput, usable }) => {
    expect(budgetOf(window, maxOutput).usableTokens).toBe(usable);
  });

  it('reserves room for reasoning besides the answer, up to a quarter of the window', () => {
    const usable = (windowTokens: number, maxOutputTokens: number) =>
      computeBudget({ windowTokens, maxOutputTokens, fixedTokens: 0, reasoningTokens: 16_000 }).usableTokens;
    expect(usable(200_000, 64_000)).toBe(152_000);
    expect(usable(200_000, 40_000)).toBe(160_000);
    expect(usable(100_000, 64_000)).toBe(75_000);
  });

  it('subtracts system text and tools from the message budget, down to 0', () => {
    expect(budgetOf(16_000, 4_000, 2_000).messageTokens).toBe(10_000);
    expect(budgetOf(16_000, 4_000, 50_000).messageTokens).toBe(0);
  });

  it.each([
    { windowTokens: 0, maxOutputTokens: 1, fixedTokens: 0 },
    { windowTokens: -5, maxOutputTokens: 1, fixedTokens: 0 },
    { windowTokens: Number.NaN, maxOutputTokens: 1, fixedTokens: 0 },
    { windowTokens: Number.POSITIVE_INFINITY, maxOutputTokens: 1, fixedTokens: 0 },
    { windowTokens: 1_000, maxOutputTokens: Number.NaN, fixedTokens: 0 },
    { windowTokens: 1_000, maxOutputTokens: 0, fixedTokens: 0 },
    { windowTokens: 1_000, maxOutputTokens: 10, fixedTokens: Number.NaN },
  ])('refuses sizes that would never overflow: %o', (options) => {
    expect(() => computeBudget(options)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

describe('isOverflow', () => {
  it('returns false up to usable, and true above it', () => {
    const budget = budgetOf(16_000, 4_000);
    expect([11_999, 12_000, 12_001].map((tokens) => isOverflow(tokens, budget))).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe('triggerTokens', () => {
  const budget = budgetOf(100_000, 10_000);

  it('returns usable for overflow, and infinity for manual', () => {
    expect(triggerTokens({ kind: 'overflow' }, budget)).toBe(90_000);
    expect(triggerTokens({ kind: 'manual' }, budget)).toBe(Number.POSITIVE_INFINITY);
  });

  it('returns a share of the window, at most usable', () => {
    expect(triggerTokens({ kind: 'threshold', percent: 0.5 }, budget)).toBe(50_000);
    expect(triggerTokens({ kind: 'threshold', percent: 0.95 }, budget)).toBe(90_000);
  });

  it('leaves room for an answer in every request below it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 2_000_000 }),
        fc.integer({ min: 100, max: 200_000 }),
        (window, output) => {
          const any = budgetOf(window, output);
          const reserve = any.windowTokens - any.usableTokens;
          const room = outputRoom(triggerTokens({ kind: 'overflow' }, any) - 1, any);
          expect(room).toBeGreaterThanOrEqual(
            Math.floor(Math.max(0, Math.min(output, reserve - window * 0.02))),
          );
        },
      ),
    );
  });
});

describe('outputRoom', () => {
  it("returns the model's maximum output, or the rest of the window minus 2 %", () => {
    const budget = budgetOf(100_000, 10_000);
    expect(outputRoom(20_000, budget)).toBe(10_000);
    expect(outputRoom(90_000, budget)).toBe(8_000);
    expect(outputRoom(99_000, budget)).toBe(0);
  });
});

describe('the trigger "available"', () => {
  const trigger = { kind: 'available', percent: 0.8 } as const;

  it.each([
    { what: 'a window of 128k minus 11,000', window: 128_000, fixed: 0, at: 93_600 },
    { what: 'a larger window minus the same', window: 200_000, fixed: 0, at: 151_200 },
    { what: 'a smaller window minus a part of it', window: 32_000, fixed: 0, at: 23_400 },
    {
      what: 'a system text that is larger than its reserve',
      window: 128_000,
      fixed: 10_000,
      at: 97_200,
    },
  ])('fires at 80 % of $what', ({ window, fixed, at }) => {
    expect(triggerTokens(trigger, budgetOf(window, 8_000, fixed))).toBe(at);
  });

  it('fires at usable at the latest', () => {
    expect(triggerTokens({ kind: 'available', percent: 1 }, budgetOf(32_000, 8_000, 1_000))).toBe(24_000);
  });
});
