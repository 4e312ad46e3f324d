import { ZERO_USAGE } from '@longhaul/protocol';
import type { UsageReport } from '@longhaul/protocol/api';
import { expect, it } from 'vitest';
import { spentRows } from './spent-rows.ts';

function report(costUsd: number, more: Partial<UsageReport> = {}): UsageReport {
  const sums = { calls: 1, costUsd, unpricedTokens: 0, usage: { ...ZERO_USAGE, totalTokens: 42_000 } };
  const rows = [{ day: '2026-11-30', ...sums }];
  return { today: '2026-11-30', rows, hasMore: false, total: sums, budgets: [], ...more };
}

it('shows the session and today without budgets', () => {
  expect(spentRows(report(1.25), report(3))).toEqual([
    { name: 'This session', amounts: [{ text: '$1.25, 42.0k tokens' }] },
    { name: 'Today', amounts: [{ text: '$3.00, 42.0k tokens' }] },
  ]);
  expect(spentRows(report(1.25), report(3, { today: '2026-12-01' }))[1]?.amounts).toEqual([
    { text: '$0.0000, 0 tokens' },
  ]);
});

it('shows budgets with what is spent of them, and when they renew', () => {
  const spent = { costUsd: 4.5, tokens: 90_000 };
  const budgets: UsageReport['budgets'] = [
    { budget: 'session', spent, limit: { costUsd: 5, tokens: 100_000 } },
    { budget: 'tokenDay', spent, limit: { costUsd: null, tokens: 60_000 }, renewsAt: 7 },
    { budget: 'day', spent, limit: { costUsd: 50, tokens: null }, renewsAt: 7 },
  ];
  expect(spentRows(report(4.5, { budgets }), report(3))).toEqual([
    {
      name: 'This session',
      amounts: [
        { text: '$4.50 of $5', percent: 90 },
        { text: '90.0k of 100.0k tokens', percent: 90 },
      ],
    },
    {
      name: "The token's sessions today",
      amounts: [{ text: '90.0k of 60.0k tokens', percent: 150 }],
      renewsAt: 7,
    },
    { name: 'Everybody today', amounts: [{ text: '$4.50 of $50', percent: 9 }], renewsAt: 7 },
  ]);
});
