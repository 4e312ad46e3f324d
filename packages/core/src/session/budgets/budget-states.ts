import {
  BUDGET_SCOPES,
  type BudgetFacts,
  type BudgetScope,
  type BudgetState,
  type Budgets,
  type BudgetUnit,
} from '@longhaul/protocol';
import type { SpentTotals } from '../../ports/index.ts';

/** Share of a budget at which a warning is due. */
const WARNING_SHARE = 0.8;

const UNITS: readonly BudgetUnit[] = ['costUsd', 'tokens'];
const DAILY: ReadonlySet<BudgetScope> = new Set(['tokenDay', 'day']);

/** Whether anything is limited. */
export function hasLimits(budgets: Budgets): boolean {
  return BUDGET_SCOPES.some((scope) => isLimited(budgets, scope));
}

export function limitsCost(budgets: Budgets): boolean {
  return BUDGET_SCOPES.some((scope) => budgets[scope].costUsd !== null);
}

/** Returns the budgets that limit something. */
export function budgetStates(budgets: Budgets, totals: SpentTotals): BudgetState[] {
  return BUDGET_SCOPES.filter((scope) => isLimited(budgets, scope)).map((budget) => ({
    budget,
    spent: totals[budget],
    limit: budgets[budget],
    ...(DAILY.has(budget) && { renewsAt: totals.dayEndsAt }),
  }));
}

/** Returns the amounts with nothing left, and those that are nearly spent. */
export function findSpent(states: readonly BudgetState[]): {
  exceeded: BudgetFacts[];
  nearly: BudgetFacts[];
} {
  const all = states.flatMap((state) => UNITS.flatMap((unit) => factsOf(state, unit)));
  const exceeded = all.filter(({ spent, limit }) => spent >= limit);
  const nearly = all.filter(({ spent, limit }) => spent < limit && spent >= limit * WARNING_SHARE);
  return { exceeded, nearly };
}

function factsOf({ budget, spent, limit, renewsAt }: BudgetState, unit: BudgetUnit): BudgetFacts[] {
  const most = limit[unit];
  if (most === null) return [];
  return [{ budget, unit, spent: spent[unit], limit: most, ...(renewsAt !== undefined && { renewsAt }) }];
}

function isLimited(budgets: Budgets, scope: BudgetScope): boolean {
  return UNITS.some((unit) => budgets[scope][unit] !== null);
}
