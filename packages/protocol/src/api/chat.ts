import { z } from 'zod';
import { jsonObjectSchema, nameText, queryCount } from './common.ts';

const part = z.looseObject({ type: z.string().max(200) });

/**
 * The body that `useChat` of the AI SDK sends. The session holds the conversation, so only two things are taken from
 * `messages`: the newest user message, and answers to tool calls that wait for approval.
 */
export const chatBody = z.looseObject({
  id: nameText(200).min(1).meta({ description: "The chat's id. Its first message creates the session." }),
  messages: z.array(
    z.looseObject({
      id: z.string().max(200),
      role: z.enum(['system', 'user', 'assistant']),
      parts: z.array(part),
    }),
  ),
  agent: nameText(200).min(1).optional().meta({
    description:
      'A configured agent, set with the first message. Later: the same, or absent. Default: coder.',
  }),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().max(200).nullish(),
  onDisconnect: z.enum(['cancel', 'continue']).default('cancel').meta({
    description:
      'What happens to the run when the page closes the stream, as stop() does. Use continue for pages that resume.',
  }),
});
export type ChatBody = z.infer<typeof chatBody>;

export const chatParams = z.strictObject({ chatId: nameText(200).min(1) });

export const chatMessagesQuery = z.strictObject({
  limit: queryCount({ max: 2_000 }).default(500).meta({
    description:
      'How many of the newest messages of the session are read. An answer of several steps consists of several messages.',
  }),
  before: queryCount({ max: 1e9 }).optional().meta({ description: '`next` of the previous page.' }),
});

export const uiMessageSchema = z.looseObject({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  metadata: jsonObjectSchema.optional(),
  parts: z.array(z.looseObject({ type: z.string() })),
});
/** A message in the form of `useChat`. */
export type ChatUiMessage = z.infer<typeof uiMessageSchema>;

export const chatMessagesSchema = z.looseObject({
  sessionId: z.string().optional().meta({ description: 'Absent while the chat has no session yet.' }),
  messages: z.array(uiMessageSchema),
  next: z
    .int()
    .optional()
    .meta({ description: '`before` for the page with older messages. Absent on the last page.' }),
});

/** One part of a UI message stream (`x-vercel-ai-ui-message-stream: v1`). */
export const chatChunkSchema = z.looseObject({ type: z.string() });
