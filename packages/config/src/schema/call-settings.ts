import { MAX_TOKENS_FIELDS, REASONING_EFFORTS, REASONING_RETURNS } from '@longhaul/models';
import * as z from 'zod';
import { setting } from './values.ts';

/** The keys of `CallSettings`, which a provider and each of its models can have. */
export const callSettings = {
  driver: setting(
    z.enum(['ai-sdk', 'native']),
    'The library that calls the provider. ai-sdk: the AI SDK. native: the own SDK of Anthropic or OpenAI, not available for Google. Default: ai-sdk.',
  ),
  cache: setting(
    z.boolean(),
    'Whether requests ask the provider to cache the prompt. For Claude (Anthropic, OpenRouter, LiteLLM), they contain cache marks; for OpenAI, a cache key of the session. true also sends the marks to any other compatible server. Default: chosen from the model and its server.',
  ),
  toolCallsInText: setting(
    z.boolean(),
    'Some models write tool calls as text. true: Longhaul runs such a call if its form, tool and arguments are clear. false: it stays text. Default: true.',
  ),
  maxTokensField: setting(
    z.enum(MAX_TOKENS_FIELDS),
    "The field for the maximum tokens of an answer, for OpenAI-compatible servers. Default: chosen from the model and its server, and learned from the server's refusals.",
  ),
  reasoning: setting(
    z.strictObject({
      effort: setting(
        z.enum(REASONING_EFFORTS),
        'How much the model reasons. No model has all levels. For older models of Anthropic and Google, Longhaul sends a token budget that matches the level. Default: chosen by the provider.',
      ),
      budgetTokens: setting(
        z.int().min(0),
        'Maximum number of reasoning tokens in an answer. Use it in place of effort for Claude before 4.7, Gemini, and models at OpenRouter. These tokens count towards the length of the answer. 0: no reasoning.',
      ),
      return: setting(
        z.enum(REASONING_RETURNS),
        "Which reasoning of earlier answers the model receives again. none: no reasoning. open-turn: only the reasoning since the user's last message. all: all reasoning. all-or-empty: all reasoning, and an empty text for each answer without reasoning. Default: chosen from the model and its server, and learned from the server's refusals.",
      ),
    }),
    'How reasoning models are called.',
  ),
};
