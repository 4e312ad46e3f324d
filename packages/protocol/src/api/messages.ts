import { z } from 'zod';
import { messageSchema, queuedMessageSchema } from '../schemas.ts';
import { jsonObjectSchema, nameText, queryCount, sessionIdSchema, waitingSchema } from './common.ts';
import { userContentSchema } from './content.ts';
import { compactResultSchema } from './context.ts';

const idempotencyKey = z
  .string()
  .regex(/^[\w.:-]{1,128}$/, { error: 'must be 1 to 128 characters: letters, digits, and . : _ -' })
  .meta({ description: 'Idempotency key. A repeated key stores nothing and gets the first response again.' });

export const idempotencyHeaders = z.looseObject({ 'idempotency-key': idempotencyKey.optional() });

export const sendMessageBody = z.strictObject({
  content: userContentSchema,
  id: idempotencyKey
    .optional()
    .meta({ description: 'Id of the message. Same as the header Idempotency-Key.' }),
  metadata: jsonObjectSchema.optional(),
  from: sessionIdSchema.optional().meta({
    description:
      'Id of the session that sends the message. The agent then does not take it for the word of a user. Default: a user sends it.',
  }),
  tools: z.array(nameText(100)).max(100).optional().meta({
    description:
      'Names of the tools that the model may use while it answers this message. * matches any text. Default: all tools of the agent.',
  }),
});
export type SendMessageBody = z.infer<typeof sendMessageBody>;

export const postMessageBody = sendMessageBody.extend({ sessionId: sessionIdSchema });
export type PostMessageBody = z.infer<typeof postMessageBody>;

export const sendResultSchema = z.discriminatedUnion('queued', [
  z.looseObject({
    ok: z.literal(true),
    queued: z.literal(false),
    id: z.string(),
    runId: z
      .string()
      .optional()
      .meta({ description: 'Id of the started run. Absent if the message was a command.' }),
    compaction: compactResultSchema.optional().meta({
      description:
        'What the message `/compact`, or `/compact what to keep`, has done. It is not sent to the model.',
    }),
  }),
  z.looseObject({
    ok: z.literal(true),
    queued: z.literal(true),
    id: z.string(),
    position: z.int().min(1).meta({ description: 'Position in the queue. 1 is next.' }),
    message: z
      .string()
      .optional()
      .meta({ description: 'For people. Absent in answers of an older version.' }),
    waiting: waitingSchema,
  }),
]);
/** Either a run has started, or the message waits in the queue for the next step. */
export type SendResult = z.infer<typeof sendResultSchema>;

export const listMessagesQuery = z.strictObject({
  limit: queryCount({ max: 200 }).default(50),
  before: queryCount({ max: 1e9 }).optional().meta({ description: 'Only messages with a lower sequence.' }),
  after: queryCount({ min: 0, max: 1e9 })
    .optional()
    .meta({ description: 'Only messages with a higher sequence, oldest first.' }),
});

/** Which parts of a message the model does not see, and why. */
const visibilitySchema = z.looseObject({
  handle: z.string().meta({ description: 'Handle of the message, such as m12.' }),
  hiddenBy: z.string().optional().meta({ description: 'Id of the compaction that hides the message.' }),
  isReverted: z.boolean().optional().meta({
    description: 'The conversation no longer contains the message. Absent in answers of an older version.',
  }),
  isPinned: z.boolean(),
  prunedParts: z
    .array(z.int().min(0))
    .meta({ description: 'Indexes of tool parts whose output is replaced by a placeholder.' }),
  cutParts: z.array(z.int().min(0)).meta({ description: 'Indexes of parts whose middle is removed.' }),
  omittedParts: z
    .array(z.int().min(0))
    .meta({ description: 'Indexes of parts left out of requests, because the server refused them.' }),
});

export const listedMessageSchema = z.intersection(
  messageSchema,
  z.looseObject({ visibility: visibilitySchema }),
);
export type ListedMessage = z.infer<typeof listedMessageSchema>;

export const messagePageSchema = z.looseObject({
  messages: z.array(listedMessageSchema).meta({ description: 'In ascending order of sequence.' }),
  hasMore: z.boolean().meta({ description: 'True if there are more messages in the requested direction.' }),
});
export type MessagePage = z.infer<typeof messagePageSchema>;

export const queueQuery = z.strictObject({ sessionId: sessionIdSchema });

export const queueSchema = z.looseObject({ messages: z.array(queuedMessageSchema), count: z.int().min(0) });
export type Queue = z.infer<typeof queueSchema>;

export const clearedQueueSchema = z.looseObject({ ok: z.literal(true), removed: z.int().min(0) });

export const editQueuedBody = z.strictObject({ content: userContentSchema });
export type EditQueuedBody = z.infer<typeof editQueuedBody>;

export const moveQueuedBody = z.strictObject({
  position: z.int().min(1).max(1_000_000).meta({ description: 'Position in the queue. 1 is next.' }),
});

export const sentQueuedSchema = z.looseObject({
  ok: z.literal(true),
  cancelled: z.boolean().meta({ description: 'Whether a run was stopped for it.' }),
  runId: z
    .string()
    .optional()
    .meta({ description: 'The run that gets the message. Absent: another process has started one.' }),
});

export const cancelBody = z.strictObject({
  clearQueue: z.boolean().default(false).meta({ description: 'Also clear the queue.' }),
  force: z.boolean().default(false).meta({
    description:
      'If another process of this machine runs the session and does not answer within 5 seconds, end that process.',
  }),
});
export const cancelResultSchema = z.looseObject({
  ok: z.literal(true),
  cancelled: z.boolean().meta({ description: 'False if no run was active.' }),
  clearedMessages: z.int().min(0).meta({ description: 'Number of messages removed from the queue.' }),
  endedPid: z.int().optional().meta({ description: 'The process that did not answer and was ended.' }),
});
export type CancelResult = z.infer<typeof cancelResultSchema>;

export const resumeResultSchema = z.looseObject({
  ok: z.literal(true),
  runId: z
    .string()
    .optional()
    .meta({ description: 'Absent if there was nothing to resume, or the session waits.' }),
  waiting: waitingSchema,
});
export type ResumeResult = z.infer<typeof resumeResultSchema>;

export const searchQuery = z.strictObject({
  q: nameText(500)
    .min(1)
    .meta({ description: 'Words to find, taken literally. All of them must occur in one text.' }),
  sessionId: sessionIdSchema.optional(),
  limit: queryCount({ max: 200 }).default(20),
  reverted: z.enum(['true', 'false']).default('false').meta({ description: 'Also find reverted messages.' }),
});

export const searchResultSchema = z.looseObject({
  hits: z.array(
    z.looseObject({
      sessionId: z.string(),
      messageId: z.string(),
      sequence: z.int(),
      partIndex: z.int(),
      handle: z.string(),
      snippet: z.string(),
      title: z
        .string()
        .optional()
        .meta({ description: 'Title of the session. Absent in answers of an older version.' }),
      summary: z
        .string()
        .optional()
        .meta({ description: 'What was done in the session. Absent: no run of it has ended yet.' }),
      parentId: z
        .string()
        .optional()
        .meta({ description: 'Session that has started this one. Absent: the session is no child.' }),
    }),
  ),
});
export type SearchResult = z.infer<typeof searchResultSchema>;
