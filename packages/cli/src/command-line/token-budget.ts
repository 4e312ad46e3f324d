import type { TokenBudget } from '@longhaul/server';
import { usage } from './parse-flags.ts';

/** The flags of `longhaul token` that set budgets. */
export interface BudgetFlags {
  'budget-usd'?: string | undefined;
  'budget-tokens'?: string | undefined;
  'budget-usd-per-day'?: string | undefined;
  'budget-tokens-per-day'?: string | undefined;
}

/** Returns the budgets that flags set. Undefined: none. @throws {LonghaulError} `usage` */
export function parseTokenBudget(values: BudgetFlags): TokenBudget | undefined {
  const amounts = {
    token: { ...amount(values, 'budget-usd', 'costUsd'), ...amount(values, 'budget-tokens', 'tokens') },
    tokenDay: {
      ...amount(values, 'budget-usd-per-day', 'costUsd'),
      ...amount(values, 'budget-tokens-per-day', 'tokens'),
    },
  };
  const isSet = [amounts.token, amounts.tokenDay].some((budget) => Object.keys(budget).length > 0);
  return isSet ? amounts : undefined;
}

/** `default` has the value undefined, which replaces an earlier one. */
function amount(
  values: BudgetFlags,
  flag: keyof BudgetFlags,
  unit: 'costUsd' | 'tokens',
): { costUsd?: number | null | undefined; tokens?: number | null | undefined } {
  const text = values[flag];
  if (text === undefined) return {};
  if (text === 'none') return { [unit]: null };
  if (text === 'default') return { [unit]: undefined };
  const number = /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (number > 0 && Number.isFinite(number)) return { [unit]: number };
  throw usage(
    `--${flag} must be a number above 0, none for no limit, or default for the configured one, not "${text}".`,
    'token',
  );
}
