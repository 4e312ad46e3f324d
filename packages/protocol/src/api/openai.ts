import { z } from 'zod';
import { nameText } from './common.ts';

/** OpenAI's API, as far as agents are offered on it. Fields that are not here are allowed, and have no effect. */

const MAX_MESSAGES = 20_000;

const contentPart = z.looseObject({ type: z.string().max(200) });

const chatMessage = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(contentPart)]).nullish(),
});

const maxTokens = z.int().min(1).nullish();

export const chatCompletionHeaders = z.looseObject({
  'x-openwebui-chat-id': nameText(200)
    .optional()
    .meta({ description: 'Tells chats apart that begin alike.' }),
});

export const chatCompletionBody = z.looseObject({
  model: nameText(200).min(1).meta({ description: '`agent/NAME`' }),
  messages: z.array(chatMessage).min(1).max(MAX_MESSAGES),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.int().nullish(),
  max_tokens: maxTokens,
  max_completion_tokens: maxTokens,
  tools: z.array(z.unknown()).nullish().meta({ description: 'None: an agent has its own.' }),
  functions: z.array(z.unknown()).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish().meta({ description: 'Text alone.' }),
  user: nameText(500).nullish().meta({ description: 'Tells chats apart that begin alike.' }),
});
export type ChatCompletionBody = z.output<typeof chatCompletionBody>;

export const chatCompletionSchema = z.looseObject({
  id: z.string(),
  object: z.enum(['chat.completion', 'chat.completion.chunk']),
  created: z.int(),
  model: z.string(),
  choices: z.array(z.looseObject({ index: z.int() })),
});

export const agentModelParams = z.strictObject({ model: nameText(200).min(1) });

export const agentModelSchema = z.looseObject({
  id: z.string().meta({ description: '`agent/NAME`' }),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
});

export const agentModelsSchema = z.looseObject({
  object: z.literal('list'),
  data: z.array(agentModelSchema),
});
