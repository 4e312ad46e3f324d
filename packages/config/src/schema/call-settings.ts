import { MAX_TOKENS_FIELDS, REASONING_EFFORTS, REASONING_RETURNS } from '@longhaul/models';
import * as z from 'zod';
import { setting } from './values.ts';

/** The keys of `CallSettings`, which a provider and each of its models can have. */
export const callSettings = {
  driver: setting(
    z.enum(['ai-sdk', 'native']),
    "The client of the provider. native: Anthropic's or OpenAI's own SDK; Google has none here. Default: ai-sdk.",
  ),
  cache: setting(
    z.boolean(),
    'Whether requests ask for the cache of the provider: by marks for Claude (Anthropic, OpenRouter, LiteLLM), by a key of the session for OpenAI. true marks the requests to any compatible server. Default: chosen from the model and its server.',
  ),
  toolCallsInText: setting(
    z.boolean(),
    'Whether tool calls that a model writes as text are made, if their form, tool and arguments are clear. Default: true.',
  ),
  maxTokensField: setting(
    z.enum(MAX_TOKENS_FIELDS),
    "The field for the maximum tokens of an answer, for OpenAI-compatible servers. Default: chosen from the model and its server, and learned from the server's refusals.",
  ),
  reasoning: setting(
    z.strictObject({
      effort: setting(
        z.enum(REASONING_EFFORTS),
        'How much the model reasons. Each model has some of these levels; older models of Anthropic and Google get a budget of tokens for the level. Default: that of the provider.',
      ),
      budgetTokens: setting(
        z.int().min(0),
        'The most tokens of reasoning in an answer, in place of effort: for Claude before 4.7, Gemini, and models at OpenRouter. They count in the length of an answer. 0: no reasoning.',
      ),
      return: setting(
        z.enum(REASONING_RETURNS),
        "Which reasoning of earlier answers is sent back to the model. none: none. open-turn: that since the user's last message. all: all of it. all-or-empty: all of it, and an empty text in answers without any. Default: chosen from the model and its server, and learned from the server's refusals.",
      ),
    }),
    'How reasoning models are called.',
  ),
};
