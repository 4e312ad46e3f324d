import { modelReasoning, type ReasoningEffort } from '@longhaul/models';
import { isObject, type JsonObject } from '@longhaul/protocol';
import {
  budgetOf,
  type FieldsOf,
  fittingBudget,
  type ReasoningAsk,
  refused,
  requireLevel,
} from './reasoning-ask.ts';

/**
 * Gemini 2.5 takes a budget, and later models a level.
 *
 * https://ai.google.dev/gemini-api/docs/thinking
 */
export function googleFields(ask: ReasoningAsk): FieldsOf {
  const { effort, budgetTokens, model } = ask;
  if (effort !== undefined && !/gemini-2/.test(model)) {
    requireLevel(ask, effort, modelReasoning('google', model).efforts ?? LEVELS);
    return () => thinking({ thinkingLevel: effort });
  }
  const { least, most, canStop } = BUDGETS.find(({ models }) => models.test(model)) ?? ANY_BUDGET;
  const wanted = budgetTokens ?? budgetOf(effort ?? 'medium', ask.maxOutputTokens);
  if (wanted === 0 && canStop) return () => thinking({ thinkingBudget: 0 });
  if (wanted === 0)
    throw refused(ask, `The model always thinks. The smallest reasoning.budgetTokens is ${least}.`);
  if (budgetTokens !== undefined && (budgetTokens < least || budgetTokens > most))
    throw refused(ask, `reasoning.budgetTokens is ${budgetTokens}. The model takes ${least} to ${most}.`);
  const budget = Math.min(most, Math.max(least, wanted));
  return ({ generationConfig }) => {
    const maxTokens = isObject(generationConfig) ? generationConfig['maxOutputTokens'] : undefined;
    return thinking({ thinkingBudget: Math.max(least, Math.floor(fittingBudget(budget, maxTokens))) });
  };
}

/** Of models that are not in the catalogue. */
const LEVELS: readonly ReasoningEffort[] = ['minimal', 'low', 'medium', 'high'];

const thinking = (thinkingConfig: JsonObject): JsonObject => ({ generationConfig: { thinkingConfig } });

const BUDGETS = [
  { models: /2\.5-flash-lite/, least: 512, most: 24_576, canStop: true },
  { models: /2\.5-flash/, least: 1, most: 24_576, canStop: true },
  { models: /2\.5-pro/, least: 128, most: 32_768, canStop: false },
];
const ANY_BUDGET = { least: 1, most: Number.POSITIVE_INFINITY, canStop: true };
