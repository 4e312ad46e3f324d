import type { UsageRow } from '@longhaul/core';
import type { BudgetScope, BudgetState, UsageKey } from '@longhaul/protocol';
import { formatCost, formatTokens, shortId } from './format.ts';

export interface UsageTable {
  rows: readonly UsageRow[];
  by: readonly UsageKey[];
  total: UsageRow | undefined;
  budgets: readonly BudgetState[];
  /** Whether there may be more rows. */
  isCut: boolean;
}

const FIGURES = ['calls', 'input', 'cached', 'output', 'cost'];

/** What model calls have used: one row for each key, the sum, and the budgets. */
export function usageTable({ rows, by, total, budgets, isCut }: UsageTable): string {
  if (total === undefined) return `No model calls are recorded.\n${budgetLines(budgets)}`;
  const shown = rows.map((row) => [...by.map((key) => keyText(row, key)), ...figures(row)]);
  const sum = [...by.map((_, index) => (index === 0 ? 'total' : '')), ...figures(total)];
  const lines = [[...by, ...FIGURES], ...shown, sum];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const table = lines
    .map((line) =>
      line
        .map((cell, column) =>
          column < by.length ? cell.padEnd(widths?.[column] ?? 0) : cell.padStart(widths?.[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
  const rest = isCut ? 'There may be more rows: --limit N shows more.\n' : '';
  return `${table}\n${rest}${unpricedLine(total)}${budgetLines(budgets)}`;
}

function keyText(row: UsageRow, key: UsageKey): string {
  const text = row[key] ?? '';
  if (key !== 'session') return text;
  return text === '' ? '(no session)' : shortId(text);
}

function figures({ calls, usage, costUsd }: UsageRow): string[] {
  const { inputTokens, cacheReadTokens, outputTokens } = usage;
  const tokens = [inputTokens, cacheReadTokens, outputTokens].map(formatTokens);
  return [String(calls), ...tokens, formatCost(costUsd)];
}

function unpricedLine({ unpricedTokens }: UsageRow): string {
  if (unpricedTokens === 0) return '';
  return `The price of ${formatTokens(unpricedTokens)} tokens is unknown. They are not part of the cost.\n`;
}

const NAMES: Readonly<Record<BudgetScope, string>> = {
  session: 'of the session',
  token: 'of the token',
  tokenDay: 'of the token today',
  day: 'of everybody today',
};

function budgetLines(budgets: readonly BudgetState[]): string {
  const lines = budgets.flatMap(({ budget, spent, limit, renewsAt }) => {
    const renewal = renewsAt === undefined ? '' : `, renews at ${minuteOf(renewsAt)} UTC`;
    const amounts = [
      ...(limit.costUsd === null ? [] : [`${formatCost(spent.costUsd)} of $${limit.costUsd}`]),
      ...(limit.tokens === null
        ? []
        : [`${formatTokens(spent.tokens)} of ${formatTokens(limit.tokens)} tokens`]),
    ];
    return amounts.map((amount) => `  ${NAMES[budget]}: ${amount}${renewal}\n`);
  });
  return lines.length === 0 ? '' : `Budgets:\n${lines.join('')}`;
}

function minuteOf(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}
