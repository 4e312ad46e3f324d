import type { ReasoningEffort } from '@longhaul/models';
import { isObject, type JsonObject } from '@longhaul/protocol';
import {
  budgetOf,
  type FieldsOf,
  fittingBudget,
  noBudget,
  type ReasoningAsk,
  refused,
  requireLevel,
} from './reasoning-ask.ts';

/** The least budget of the Messages API. */
const MIN_BUDGET = 1_024;

/**
 * Claude decides from 4.6 on how much it thinks, and takes an effort. Older models, and models of others behind this
 * API, take a budget. From 4.7 on, a budget is refused.
 *
 * https://platform.claude.com/docs/en/build-with-claude/thinking,
 * https://platform.claude.com/docs/en/build-with-claude/effort
 */
export function anthropicFields(ask: ReasoningAsk): FieldsOf {
  const { effort, budgetTokens, model } = ask;
  const version = versionOf(model);
  if (effort === 'none' || budgetTokens === 0) return withoutThinking(ask);
  if (budgetTokens !== undefined) {
    if (version >= 4.7)
      throw noBudget(ask, 'Claude from 4.7 on has no budget: it decides itself how much it thinks.');
    if (budgetTokens < MIN_BUDGET)
      throw refused(
        ask,
        `reasoning.budgetTokens is ${budgetTokens}. Anthropic's smallest budget is ${MIN_BUDGET}.`,
      );
    return withBudget(budgetTokens);
  }
  if (effort === undefined) return () => ({});
  if (version < 4.6) return withBudget(Math.max(MIN_BUDGET, budgetOf(effort, ask.maxOutputTokens)));
  requireLevel(ask, effort, version >= 4.7 ? LEVELS : LEVELS.filter((level) => level !== 'xhigh'));
  const fields = { thinking: { type: 'adaptive' }, output_config: { effort } };
  return () => fields;
}

const LEVELS: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** These always think. */
const ALWAYS_THINKS = /fable|mythos|opus-5-5/;

function withoutThinking(ask: ReasoningAsk): FieldsOf {
  if (ALWAYS_THINKS.test(ask.model))
    throw refused(ask, `The model always thinks. The lowest reasoning.effort is low.`);
  // Its least setting: it thinks only between tool calls.
  const type = /sonnet-5-5/.test(ask.model) ? 'between_tools' : 'disabled';
  return () => ({ thinking: { type } });
}

function withBudget(budgetTokens: number): FieldsOf {
  return (body): JsonObject => {
    const budget_tokens = Math.floor(fittingBudget(budgetTokens, body['max_tokens']));
    const isPossible = budget_tokens >= MIN_BUDGET && !isInUnthinkingTurn(body);
    return isPossible ? { thinking: { type: 'enabled', budget_tokens } } : {};
  };
}

/**
 * Whether the turn has begun without thinking, such as before a change of the setting. The API refuses to switch
 * thinking on between the tool calls of a turn.
 */
function isInUnthinkingTurn({ messages }: JsonObject): boolean {
  if (!Array.isArray(messages)) return false;
  const start = messages.findLastIndex(
    (message) => isObject(message) && message['role'] === 'user' && !isResults(message),
  );
  const answer = messages
    .slice(start + 1)
    .find((message) => isObject(message) && message['role'] === 'assistant');
  const content = isObject(answer) ? answer['content'] : undefined;
  const first = Array.isArray(content) ? content[0] : undefined;
  return first !== undefined && isObject(first) && !/^(redacted_)?thinking$/.test(String(first['type']));
}

function isResults({ content }: JsonObject): boolean {
  return (
    Array.isArray(content) && content.some((block) => isObject(block) && block['type'] === 'tool_result')
  );
}

/**
 * Returns 4.6 for `claude-opus-4-6`, 3.7 for `claude-3-7-sonnet-20250219`, 5 for `claude-sonnet-5`; 0 for other models.
 */
function versionOf(model: string): number {
  const [, major, minor = '0'] = /claude(?:-[a-z]+)*-(\d)(?:[-.](\d{1,2}))?(?![\d])/.exec(model) ?? [];
  return major === undefined ? 0 : Number(`${major}.${minor}`);
}
