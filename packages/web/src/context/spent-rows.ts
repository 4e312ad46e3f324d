import type { BudgetState, SpentAmount } from '@longhaul/protocol';
import type { UsageReport } from '@longhaul/protocol/api';
import { formatCost, formatTokens } from '../ui/format.ts';

/** One line of what is spent. */
export interface SpentRow {
  name: string;
  amounts: { text: string /** Of the budget. */; percent?: number }[];
  renewsAt?: number | undefined;
}

const NAMES: Readonly<Record<BudgetState['budget'], string>> = {
  session: 'This session',
  token: "The token's sessions",
  tokenDay: "The token's sessions today",
  day: 'Everybody today',
};

/**
 * Returns the rows: the session, today, and the other budgets. A row with a budget shows it.
 *
 * @param own The usage of the session, in one row.
 * @param days The usage of everything that the token sees, of the newest day.
 */
export function spentRows(own: UsageReport, days: UsageReport): SpentRow[] {
  const { budgets } = own;
  const session = budgets.find(({ budget }) => budget === 'session');
  const daily = budgets.some(({ budget }) => budget === 'day' || budget === 'tokenDay');
  const newest = days.rows.find(({ day }) => day === days.today);
  return [
    session === undefined ? { name: NAMES.session, amounts: plain(amountOf(own.total)) } : stateRow(session),
    ...(daily ? [] : [{ name: 'Today', amounts: plain(newest === undefined ? NONE : amountOf(newest)) }]),
    ...budgets.filter(({ budget }) => budget !== 'session').map(stateRow),
  ];
}

const NONE: SpentAmount = { costUsd: 0, tokens: 0 };

function amountOf({ costUsd, usage }: UsageReport['total']): SpentAmount {
  return { costUsd, tokens: usage.totalTokens };
}

function plain({ costUsd, tokens }: SpentAmount): SpentRow['amounts'] {
  return [{ text: `${formatCost(costUsd)}, ${formatTokens(tokens)} tokens` }];
}

function stateRow({ budget, spent, limit, renewsAt }: BudgetState): SpentRow {
  const amounts: SpentRow['amounts'] = [];
  if (limit.costUsd !== null)
    amounts.push({
      text: `${formatCost(spent.costUsd)} of $${limit.costUsd}`,
      percent: percentOf(spent.costUsd, limit.costUsd),
    });
  if (limit.tokens !== null)
    amounts.push({
      text: `${formatTokens(spent.tokens)} of ${formatTokens(limit.tokens)} tokens`,
      percent: percentOf(spent.tokens, limit.tokens),
    });
  return { name: NAMES[budget], amounts, renewsAt };
}

function percentOf(spent: number, limit: number): number {
  return Math.floor((100 * spent) / limit);
}
