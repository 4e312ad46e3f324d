import type { ReasoningSettings } from '@longhaul/models';
import { anthropicFields } from './anthropic-fields.ts';
import { chatFields } from './chat-fields.ts';
import { googleFields } from './google-fields.ts';
import { openAiFields } from './openai-fields.ts';
import { ANSWER_TOKENS, budgetOf, type FieldsOf, type ReasoningAsk, refused } from './reasoning-ask.ts';

export interface ReasoningFields {
  fieldsOf: FieldsOf;
  /**
   * The tokens of an answer that reasoning is expected to take. All providers count them in the length of an answer.
   */
  tokens: number;
}

/**
 * Chooses the fields by which the provider documents the effort or the budget of reasoning. Undefined without a
 * setting.
 *
 * @throws {LonghaulError} `config_invalid` if the provider or model has no such setting, or the budget leaves no room
 * for an answer.
 */
export function reasoningFields(
  ask: Omit<ReasoningAsk, 'effort' | 'budgetTokens'>,
  { effort, budgetTokens }: ReasoningSettings = {},
): ReasoningFields | undefined {
  if (effort === undefined && budgetTokens === undefined) return undefined;
  const whole = { ...ask, effort, budgetTokens };
  if (budgetTokens !== undefined) checkBudget(whole, budgetTokens);
  const tokens = budgetTokens ?? budgetOf(effort ?? 'medium', ask.maxOutputTokens);
  return { fieldsOf: fieldsFor(whole), tokens };
}

function fieldsFor(ask: ReasoningAsk): FieldsOf {
  if (ask.kind === 'anthropic') return anthropicFields(ask);
  if (ask.kind === 'google') return googleFields(ask);
  return ask.kind === 'openai' ? openAiFields(ask) : chatFields(ask);
}

function checkBudget({ maxOutputTokens, ...ask }: ReasoningAsk, budgetTokens: number): void {
  if (budgetTokens === 0 || budgetTokens + ANSWER_TOKENS <= maxOutputTokens) return;
  throw refused(
    ask,
    `reasoning.budgetTokens is ${budgetTokens}, but an answer of this model, with its reasoning, has at most ${maxOutputTokens} tokens. Set at most ${Math.max(0, maxOutputTokens - ANSWER_TOKENS)}, or a larger maxOutput.`,
  );
}
