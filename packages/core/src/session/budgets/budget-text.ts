import { type BudgetFacts, LonghaulError } from '@longhaul/protocol';
import { groupDigits } from '../../tool-output/display.ts';

/** Whose budgets they are. */
export interface BudgetOwner {
  owner: string;
  /** Absent: the calls belong to no session. */
  sessionId?: string | undefined;
}

/** The error of a call that was not made. */
export function budgetExceeded(facts: BudgetFacts, owner: BudgetOwner): LonghaulError {
  const { renewsAt } = facts;
  const { budget, unit, spent, limit } = facts;
  return new LonghaulError('budget_exceeded', exceededText(facts, owner), {
    data: {
      budget,
      unit,
      spent,
      limit,
      ...(renewsAt !== undefined && { renewsAt, retryAfterSeconds: secondsUntil(renewsAt) }),
    },
  });
}

export function nearlySpentText(facts: BudgetFacts, owner: BudgetOwner): string {
  const percent = Math.floor((100 * facts.spent) / facts.limit);
  return `${percent} % of ${nameOf(facts, owner)} is spent: ${amounts(facts)}.`;
}

function exceededText(facts: BudgetFacts, owner: BudgetOwner): string {
  const renewal = facts.renewsAt === undefined ? '' : ` It renews at ${minuteOf(facts.renewsAt)} UTC.`;
  return `${upper(nameOf(facts, owner))} is spent: ${amounts(facts)}. Everything so far is kept.${renewal} To continue, raise it: ${raiseText(facts, owner)}.`;
}

function nameOf({ budget }: BudgetFacts, { owner }: BudgetOwner): string {
  if (budget === 'session') return 'the budget of this session';
  if (budget === 'token') return `the budget of the token ${owner}`;
  return budget === 'tokenDay' ? `the day's budget of the token ${owner}` : "the day's budget of everybody";
}

/** A token's own budget replaces the configured one. */
function raiseText({ budget, unit }: BudgetFacts, { owner }: BudgetOwner): string {
  const key = `budgets.${budget}.${unit}`;
  if (budget === 'session' || budget === 'day') return key;
  const option = `--budget-${unit === 'costUsd' ? 'usd' : 'tokens'}${budget === 'tokenDay' ? '-per-day' : ''}`;
  return `longhaul token budget ${owner} ${option} N, or ${key}`;
}

function amounts({ unit, spent, limit }: BudgetFacts): string {
  return unit === 'costUsd'
    ? `${dollars(spent)} of $${limit}`
    : `${groupDigits(Math.round(spent))} of ${groupDigits(limit)} tokens`;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;
}

function minuteOf(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function secondsUntil(time: number): number {
  return Math.max(1, Math.ceil((time - Date.now()) / 1_000));
}
