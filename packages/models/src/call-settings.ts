import type { JsonObject } from '@longhaul/protocol';

/**
 * Which reasoning of earlier answers is sent back to the model that wrote it.
 *
 * - `none`: no reasoning.
 * - `open-turn`: the reasoning since the user's last message. Leaving out that of older turns changes the beginning of
 *   the request, so the first request of a turn reads the turn before it uncached.
 * - `all`: all reasoning.
 * - `all-or-empty`: all reasoning, and an empty text in each answer without any.
 */
export type ReasoningReturn = 'none' | 'open-turn' | 'all' | 'all-or-empty';

export const REASONING_RETURNS = [
  'none',
  'open-turn',
  'all',
  'all-or-empty',
] as const satisfies readonly ReasoningReturn[];

/** How much a model reasons. Each provider has some of these levels. */
export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

export interface ReasoningSettings {
  return?: ReasoningReturn;
  /** Default: the provider's. */
  effort?: ReasoningEffort;
  /** The most tokens of reasoning in an answer, for models that take a number. 0: none. In place of `effort`. */
  budgetTokens?: number;
}

/**
 * How requests to a model are made, as configured for its provider or for the model alone. What is undefined was
 * learned from the server's refusals, or is chosen by the driver from the model and its server.
 */
export interface CallSettings {
  /** The client library: the AI SDK, or the provider's own SDK (`native`), which Google has not. Default `ai-sdk`. */
  driver?: 'ai-sdk' | 'native';
  /**
   * Whether prompts are cached where that must be requested, and read under a key of the session. `true` also marks the
   * requests to a compatible server that is not known to take marks. Default: chosen from the model and its server.
   */
  cache?: boolean;
  /** Whether tool calls that a model writes as text are made. Default true. */
  toolCallsInText?: boolean;
  reasoning?: ReasoningSettings;
  /**
   * The field for the maximum tokens of an answer in Chat Completions. Default: chosen from the model and its server.
   */
  maxTokensField?: MaxTokensField;
}

/** What refusals have taught about a server. A configured setting takes precedence. */
export interface LearnedSettings extends CallSettings {
  /** The most tokens of an answer that the server accepts. */
  maxOutputTokens?: number;
}

export const MAX_TOKENS_FIELDS = ['max_tokens', 'max_completion_tokens'] as const;
export type MaxTokensField = (typeof MAX_TOKENS_FIELDS)[number];

/** What is sent to a provider's address besides the conversation. It belongs to that address, like the key. */
export interface RequestExtras {
  headers?: Readonly<Record<string, string>>;
  /** Fields that are merged into the JSON body of each request. `null` removes a field. */
  body?: JsonObject;
}
