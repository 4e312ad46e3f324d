/**
 * What a budget limits: a session with its children; the sessions of one token, in all or on one day; everything on one
 * day. The `admin` has no budget of its own. Days are those of UTC.
 */
export const BUDGET_SCOPES = ['session', 'token', 'tokenDay', 'day'] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** Calls of models whose price is unknown count only in tokens. */
export interface SpentAmount {
  tokens: number;
  costUsd: number;
}

/** Null: no limit. */
export interface Budget {
  tokens: number | null;
  costUsd: number | null;
}

export type Budgets = Readonly<Record<BudgetScope, Budget>>;

const UNLIMITED: Readonly<Budget> = Object.freeze({ tokens: null, costUsd: null });

export const NO_BUDGETS: Budgets = Object.freeze({
  session: UNLIMITED,
  token: UNLIMITED,
  tokenDay: UNLIMITED,
  day: UNLIMITED,
});

/** By what the use of models can be added up. */
export const USAGE_KEYS = ['day', 'token', 'model', 'session'] as const;
export type UsageKey = (typeof USAGE_KEYS)[number];

/** A budget, and what is spent of it. */
export interface BudgetState {
  budget: BudgetScope;
  spent: SpentAmount;
  limit: Budget;
  /** When a budget of a day begins again, in milliseconds since 1970. Absent: it does not. */
  renewsAt?: number | undefined;
}

/** Which of the two amounts of a budget is meant. */
export type BudgetUnit = keyof SpentAmount;

/** One amount of a budget that is spent, or nearly. */
export interface BudgetFacts {
  budget: BudgetScope;
  unit: BudgetUnit;
  spent: number;
  limit: number;
  renewsAt?: number;
}
