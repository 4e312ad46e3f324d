import { z } from 'zod';
import { tokenUsageSchema } from '../schemas.ts';
import { nameText, queryCount, sessionParams, strategyNameSchema } from './common.ts';

const tokens = z.number().min(0);
const role = z.enum(['user', 'assistant']);

const messageRangeSchema = z.looseObject({ from: z.string(), to: z.string(), count: z.int() });

/** What a compaction hides. */
const hiddenMessages = { count: z.int(), ranges: z.array(messageRangeSchema) };

/** A compaction in numbers. */
const compactionFigures = {
  strategy: z.string(),
  round: z.int(),
  tokensBefore: tokens,
  tokensAfter: tokens,
};

export const contextQuery = z.strictObject({
  windowTokens: queryCount({ max: 1e9 })
    .optional()
    .meta({ description: 'Window size to measure against, for a session that has not run yet.' }),
});

/** Reports how a session's window is used. */
export const contextReportSchema = z.looseObject({
  sessionId: z.string(),
  model: z.string(),
  strategy: z.string(),
  tokens: tokens.meta({ description: 'Tokens of the next request, if it were sent now.' }),
  shares: z.looseObject({
    system: tokens,
    tools: tokens,
    ledger: tokens,
    narrative: tokens,
    user: tokens,
    assistant: tokens,
    calls: tokens,
    outputs: tokens,
    media: tokens,
    framing: tokens,
  }),
  servers: z
    .array(z.looseObject({ name: z.string(), tools: z.int(), tokens }))
    .optional()
    .meta({
      description:
        'Parts of `shares.tools`: the schemas of each MCP server. Absent in answers of an older version.',
    }),
  window: z.looseObject({
    source: z.string(),
    windowTokens: tokens.optional(),
    usableTokens: tokens.optional(),
    triggerTokens: tokens.optional(),
  }),
  isTriggerRaised: z.boolean(),
  messages: z.looseObject({ total: z.int(), visible: z.int(), hidden: z.int() }),
  hidden: z.array(
    z.looseObject({
      compactionId: z.string(),
      ...compactionFigures,
      reason: z.enum(['threshold', 'overflow', 'tool-results', 'stream', 'manual', 'model']),
      createdAt: z.number(),
      at: z.int().optional().meta({
        description: 'Sequence of the last message when it was made. Absent in answers of an older version.',
      }),
      ...hiddenMessages,
    }),
  ),
  pins: z.array(z.looseObject({ messageId: z.string(), handle: z.string(), role, text: z.string() })),
  pruned: z.array(z.string()),
  cut: z.array(z.string()),
  omitted: z.array(z.string()),
});
export type ContextInfo = z.infer<typeof contextReportSchema>;

export const stepsQuery = z.strictObject({
  after: queryCount({ min: 0, max: 1e9 })
    .default(0)
    .meta({ description: 'Only steps after this sequence: that of the last step of the previous page.' }),
  limit: queryCount({ max: 5_000 }).default(1_000),
});

export const stepsSchema = z.looseObject({
  steps: z
    .array(
      z.looseObject({
        handle: z.string(),
        sequence: z.int(),
        at: z.number(),
        model: z.string().optional(),
        usage: tokenUsageSchema.optional(),
        cost: z.number().optional(),
        finishReason: z.string().optional(),
        isReverted: z.boolean(),
      }),
    )
    .meta({ description: 'The answers of the model, oldest first, also reverted ones.' }),
  hasMore: z.boolean(),
});

const compactionFields = {
  id: z.string(),
  ...compactionFigures,
  reason: z.enum(['threshold', 'overflow', 'tool-results', 'stream', 'manual', 'model']),
  createdAt: z.number(),
  undoneAt: z.number().optional(),
  isActive: z.boolean().meta({ description: 'Whether it is on the live path and not undone.' }),
  at: z.int().meta({ description: 'Sequence of the last message when it was made.' }),
  ...hiddenMessages,
};

export const compactionsSchema = z.looseObject({
  compactions: z.array(z.looseObject(compactionFields)).meta({
    description: 'Oldest first, also undone ones. `ranges` are the messages that no earlier one hid.',
  }),
});

export const compactionParams = sessionParams.extend({ compactionId: nameText(200).min(1) });

export const compactionSchema = z.looseObject({
  ...compactionFields,
  summary: z.looseObject({ ledger: z.string(), narrative: z.string() }),
});

export const compactBody = z.strictObject({
  preview: z
    .boolean()
    .default(false)
    .meta({ description: 'Report what the compaction would do, without changing anything.' }),
  strategy: strategyNameSchema.optional().meta({ description: 'Default: the configured strategy.' }),
  windowTokens: z.int().min(1).max(1e9).optional(),
  focus: nameText(2_000)
    .min(1)
    .optional()
    .meta({ description: 'What the narrative of the summary keeps in particular, in your words.' }),
});
export type CompactBody = z.infer<typeof compactBody>;

const compactionReport = {
  ...compactionFigures,
  hides: z.looseObject(hiddenMessages),
  pruned: z.int(),
  cut: z.int(),
  summary: z.looseObject({ ledger: z.string(), narrative: z.string() }),
  usage: tokenUsageSchema.optional(),
  warnings: z.array(z.string()),
};

export const compactResultSchema = z.discriminatedUnion('status', [
  z.looseObject({ status: z.literal('compacted'), ...compactionReport }),
  z.looseObject({ status: z.literal('preview'), ...compactionReport }),
  z.looseObject({ status: z.literal('nothing'), tokens }),
  z.looseObject({ status: z.literal('queued') }),
]);
export type CompactResult = z.infer<typeof compactResultSchema>;

export const undoResultSchema = z.discriminatedUnion('status', [
  z.looseObject({
    status: z.literal('undone'),
    round: z.int(),
    shown: z.int(),
    tokens,
    usableTokens: tokens.optional(),
    fits: z.boolean(),
  }),
  z.looseObject({
    status: z.literal('restored'),
    handles: z.array(z.string()).meta({ description: 'Parts that requests contain again.' }),
    tokens,
  }),
  z.looseObject({ status: z.literal('nothing') }),
]);
export type UndoneResult = z.infer<typeof undoResultSchema>;

export const pinBody = z.strictObject({
  target: nameText(200)
    .min(1)
    .meta({ description: 'A handle, such as m12 or m12.3, or the id of a message.' }),
});
export const pinResultSchema = z.looseObject({
  messageId: z.string(),
  handle: z.string(),
  role,
  text: z.string(),
  changed: z.boolean(),
  wasHidden: z.boolean(),
});
export type PinnedResult = z.infer<typeof pinResultSchema>;
