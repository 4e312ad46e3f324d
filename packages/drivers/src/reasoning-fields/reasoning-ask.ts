import type { ReasoningEffort } from '@longhaul/models';
import { type JsonObject, LonghaulError } from '@longhaul/protocol';
import type { ProviderKind } from '../wire-profile.ts';

/** A model, and how it is asked to reason. One of `effort` and `budgetTokens` is set. */
export interface ReasoningAsk {
  kind: ProviderKind;
  provider: string;
  model: string;
  baseUrl: string;
  effort?: ReasoningEffort | undefined;
  budgetTokens?: number | undefined;
  /** The longest answer of the model. */
  maxOutputTokens: number;
}

/** Returns the fields of one request, from its body without them. */
export type FieldsOf = (body: JsonObject) => JsonObject;

/** What an answer needs beside its reasoning. */
export const ANSWER_TOKENS = 1_000;

/** Tokens for models with a budget in place of levels, and the expected tokens of the others. */
const BUDGETS: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 4_096,
  medium: 10_240,
  high: 20_480,
  xhigh: 28_672,
  max: 32_000,
};

/** Reasoning takes at most half of the longest answer. */
export function budgetOf(effort: ReasoningEffort, maxOutputTokens: number): number {
  return Math.min(BUDGETS[effort], Math.floor(maxOutputTokens / 2));
}

/** The budget that fits a request, whose answer may be shorter than the longest one. */
export function fittingBudget(budget: number, maxTokens: unknown): number {
  return typeof maxTokens === 'number'
    ? Math.min(budget, maxTokens - Math.min(ANSWER_TOKENS, maxTokens / 2))
    : budget;
}

export function refused(
  { provider, model }: Pick<ReasoningAsk, 'provider' | 'model'>,
  reason: string,
): LonghaulError {
  return new LonghaulError('config_invalid', `${provider}/${model}: ${reason}`, {
    data: { provider, model },
  });
}

export function noBudget(ask: ReasoningAsk, reason: string): LonghaulError {
  return refused(ask, `${reason} Set reasoning.effort in place of reasoning.budgetTokens.`);
}

/** @throws {LonghaulError} `config_invalid` */
export function requireLevel(
  ask: ReasoningAsk,
  effort: ReasoningEffort,
  levels: readonly ReasoningEffort[],
): void {
  if (levels.includes(effort)) return;
  const known = levels.length === 1 ? `Its only one is ${levels[0]}.` : `Set one of ${levels.join(', ')}.`;
  throw refused(ask, `The model has no reasoning effort "${effort}". ${known}`);
}
