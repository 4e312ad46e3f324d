import { z } from 'zod';
import { nameText } from './common.ts';

/** The supported part of OpenAI's API. Other fields are accepted and ignored. */

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
    .meta({ description: 'Separates chats that start with the same messages.' }),
});

export const chatCompletionBody = z.looseObject({
  model: nameText(200).min(1).meta({ description: '`agent/NAME`' }),
  messages: z.array(chatMessage).min(1).max(MAX_MESSAGES),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.int().nullish(),
  max_tokens: maxTokens,
  max_completion_tokens: maxTokens,
  tools: z.array(z.unknown()).nullish().meta({ description: 'Must be empty: an agent has its own tools.' }),
  functions: z.array(z.unknown()).nullish(),
  response_format: z
    .looseObject({ type: z.string() })
    .nullish()
    .meta({ description: 'Only the type text is supported.' }),
  user: nameText(500).nullish().meta({ description: 'Separates chats that start with the same messages.' }),
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
