import { z } from 'zod';
import { jsonObjectSchema, nameText, queryCount } from './common.ts';

const part = z.looseObject({ type: z.string().max(200) });

/**
 * The request of the AI SDK's `useChat`. The session stores the conversation, so the server reads only the newest user
 * message from `messages`, and the answers to pending approvals.
 */
export const chatBody = z.looseObject({
  id: nameText(200).min(1).meta({ description: 'Id of the chat. Its first message creates its session.' }),
  messages: z.array(
    z.looseObject({
      id: z.string().max(200),
      role: z.enum(['system', 'user', 'assistant']),
      parts: z.array(part),
    }),
  ),
  agent: nameText(200).min(1).optional().meta({
    description:
      'Name of a configured agent. The first message assigns the chat to it. Later messages must name the same agent or none. Default: coder.',
  }),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().max(200).nullish(),
  onDisconnect: z.enum(['cancel', 'continue']).default('cancel').meta({
    description:
      'What happens to the run when the page closes the stream, as stop() does. cancel: the run ends. continue: the run continues, for pages that resume the stream.',
  }),
});
export type ChatBody = z.infer<typeof chatBody>;

export const chatParams = z.strictObject({ chatId: nameText(200).min(1) });

export const chatMessagesQuery = z.strictObject({
  limit: queryCount({ max: 2_000 }).default(500).meta({
    description:
      'Maximum number of session messages to read, from the newest. Each step of an answer is one of them.',
  }),
  before: queryCount({ max: 1e9 }).optional().meta({ description: '`next` of the previous page.' }),
});

export const uiMessageSchema = z.looseObject({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  metadata: jsonObjectSchema.optional(),
  parts: z.array(z.looseObject({ type: z.string() })),
});
/** A message in the format of `useChat`. */
export type ChatUiMessage = z.infer<typeof uiMessageSchema>;

export const chatMessagesSchema = z.looseObject({
  sessionId: z.string().optional().meta({ description: 'Absent if the chat has no session yet.' }),
  messages: z.array(uiMessageSchema),
  next: z
    .int()
    .optional()
    .meta({ description: 'Value of `before` for the page with older messages. Absent on the last page.' }),
});

/** One part of a UI message stream (`x-vercel-ai-ui-message-stream: v1`). */
export const chatChunkSchema = z.looseObject({ type: z.string() });
