import type { JsonObject } from '@longhaul/protocol';
import { type FieldsOf, fittingBudget, noBudget, type ReasoningAsk, refused } from './reasoning-ask.ts';

/** The least budget that OpenRouter passes on to every provider. */
const MIN_BUDGET = 1_024;

/**
 * Chat Completions have the field `reasoning_effort`; OpenRouter has `reasoning`, which also takes a budget.
 *
 * https://openrouter.ai/docs/guides/best-practices/reasoning-tokens
 */
export function chatFields(ask: ReasoningAsk): FieldsOf {
  const { effort, budgetTokens, baseUrl } = ask;
  const isOpenRouter = /\bopenrouter\.ai\b/i.test(baseUrl);
  if (effort !== undefined) {
    const fields: JsonObject = isOpenRouter ? { reasoning: { effort } } : { reasoning_effort: effort };
    return () => fields;
  }
  if (budgetTokens === undefined) return () => ({});
  if (!isOpenRouter)
    throw noBudget(
      ask,
      'OpenAI-compatible servers have no common field for a budget (providers.NAME.body can set one).',
    );
  if (budgetTokens === 0) return () => ({ reasoning: { effort: 'none' } });
  if (budgetTokens < MIN_BUDGET)
    throw refused(
      ask,
      `reasoning.budgetTokens is ${budgetTokens}. OpenRouter's smallest budget is ${MIN_BUDGET}.`,
    );
  return (body): JsonObject => {
    const maxTokens = body['max_tokens'] ?? body['max_completion_tokens'];
    const max_tokens = Math.floor(fittingBudget(budgetTokens, maxTokens));
    // In a short answer, the server divides the room.
    return max_tokens >= MIN_BUDGET ? { reasoning: { max_tokens } } : {};
  };
}
