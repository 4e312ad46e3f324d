import { z } from 'zod';
import { nameText } from './common.ts';

const part = z.looseObject({ type: z.string().max(200) });

/**
 * What `useChat` of the AI SDK sends. The session holds the conversation: of `messages`, the newest user message is taken, and the
 * answers to tool calls that wait for approval.
 */
export const chatBody = z.looseObject({
  id: nameText(200)
    .min(1)
    .meta({ description: "The chat's id. Its session is made with its first message." }),
  messages: z.array(
    z.looseObject({
      id: z.string().max(200),
      role: z.enum(['system', 'user', 'assistant']),
      parts: z.array(part),
    }),
  ),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().max(200).nullish(),
  onDisconnect: z.enum(['cancel', 'continue']).default('cancel').meta({
    description:
      'What happens to the run when the page closes the stream, as stop() does. continue: pages that resume.',
  }),
});
export type ChatBody = z.infer<typeof chatBody>;

export const chatParams = z.strictObject({ chatId: nameText(200).min(1) });

/** One part of a UI message stream (`x-vercel-ai-ui-message-stream: v1`). */
export const chatChunkSchema = z.looseObject({ type: z.string() });
