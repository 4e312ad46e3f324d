/**
 * zod schemas of stored data. A separate subpath, because importing zod takes 40 ms and most commands do not need it.
 * Unknown fields are kept: a newer version wrote them.
 */
import { z } from 'zod';
import type { FileChange } from './file-change.ts';
import { isObject, type JsonObject, type JsonValue } from './json.ts';
import type { Compaction, Mark } from './mark.ts';
import type {
  FileContent,
  ImageContent,
  Message,
  MessageMetadata,
  Part,
  ProviderMetadata,
  QueuedMessage,
  Session,
  TextContent,
} from './message.ts';
import type { TokenUsage } from './usage.ts';

/** The value comes from `JSON.parse`, so anything but undefined is JSON. */
const jsonValueSchema = z.custom<JsonValue>((value) => value !== undefined);
const jsonObjectSchema = z.custom<JsonObject>(isObject);
const providerMetadataSchema = z.custom<ProviderMetadata>(
  (value) => isObject(value) && Object.values(value).every(isObject),
);
const count = z.number().int().nonnegative();
const instant = z.number();
const id = z.string().min(1);

export const textContentSchema: z.ZodType<TextContent> = z.looseObject({
  type: z.literal('text'),
  text: z.string(),
});
export const imageContentSchema: z.ZodType<ImageContent> = z.looseObject({
  type: z.literal('image'),
  data: z.string(),
  mediaType: z.string().optional(),
});
export const fileContentSchema: z.ZodType<FileContent> = z.looseObject({
  type: z.literal('file'),
  data: z.string(),
  mediaType: z.string(),
  filename: z.string().optional(),
});
const contentSchema = z.union([textContentSchema, imageContentSchema, fileContentSchema]);

const streamedFields = {
  text: z.string(),
  state: z.enum(['running', 'done', 'interrupted']),
  providerMetadata: providerMetadataSchema.optional(),
};

export const fileChangeSchema: z.ZodType<FileChange> = z.looseObject({
  path: z.string(),
  pathBytes: z.string().optional(),
  change: z.enum(['added', 'modified', 'deleted', 'renamed']),
  from: z.string().optional(),
  mode: z.string().optional(),
  added: count.optional(),
  removed: count.optional(),
  restorable: z.boolean(),
});

const treeSchema = z
  .string()
  .regex(/^@tree:[0-9a-f]{64}$/, { error: 'must be @tree: followed by a blob id' });

export const partSchema: z.ZodType<Part> = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), ...streamedFields }),
  z.looseObject({ type: z.literal('reasoning'), ...streamedFields }),
  z.looseObject({
    type: z.literal('tool'),
    callId: z.string(),
    name: z.string(),
    input: jsonValueSchema,
    inputText: z.string().optional(),
    state: z.enum(['pending', 'running', 'completed', 'error', 'interrupted']),
    title: z.string().optional(),
    output: z.array(contentSchema).optional(),
    error: z.string().optional(),
    truncated: z.boolean().optional(),
    handle: z.string().optional(),
    fullOutput: z.string().optional(),
    metadata: jsonObjectSchema.optional(),
    startedAt: instant.optional(),
    endedAt: instant.optional(),
    providerMetadata: providerMetadataSchema.optional(),
  }),
  z.looseObject({
    type: z.literal('file'),
    mediaType: z.string(),
    data: z.string(),
    filename: z.string().optional(),
  }),
  z.looseObject({ type: z.literal('notice'), text: z.string(), forModel: z.boolean() }),
  z.looseObject({
    type: z.literal('patch'),
    before: treeSchema.optional(),
    after: treeSchema,
    files: z.array(fileChangeSchema),
    more: count.optional(),
    byAgent: z.boolean(),
    atRevert: z.literal(true).optional(),
  }),
]);

export const tokenUsageSchema: z.ZodType<TokenUsage> = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  reasoningTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  totalTokens: count,
});

const messageFields = {
  id,
  sessionId: id,
  sequence: z.number().int().positive(),
  role: z.enum(['user', 'assistant']),
  status: z.enum(['running', 'done', 'failed', 'interrupted']),
  createdAt: instant,
  tokenCount: z.number().nonnegative(),
  finishReason: z
    .enum(['stop', 'tool-calls', 'length', 'content-filter', 'paused', 'error', 'other'])
    .optional(),
  usage: tokenUsageSchema.optional(),
  cost: z.number().optional(),
  model: z.string().optional(),
  metadata: z.custom<MessageMetadata>(isObject).optional(),
};

/** A message without its parts, as stored in its own row. */
export const messageRowSchema: z.ZodType<Omit<Message, 'parts'>> = z.looseObject(messageFields);
export const messageSchema: z.ZodType<Message> = z.looseObject({
  ...messageFields,
  parts: z.array(partSchema),
});

export const sessionSchema: z.ZodType<Session> = z.looseObject({
  id,
  createdAt: instant,
  updatedAt: instant,
  status: z.enum(['active', 'completed', 'failed', 'cancelled']),
  task: z.string(),
  title: z.string(),
  model: z.string(),
  workspace: z.string(),
  parentId: id.optional(),
  parentCallId: z.string().optional(),
  summary: z.string().optional(),
  metadata: jsonObjectSchema.optional(),
});

export const queuedMessageSchema: z.ZodType<QueuedMessage> = z.looseObject({
  id,
  content: z.array(contentSchema),
  queuedAt: instant,
  metadata: jsonObjectSchema.optional(),
});

const compactionObject = z.looseObject({
  kind: z.literal('compaction'),
  id,
  sessionId: id,
  round: z.number().int().positive(),
  strategy: z.string(),
  reason: z.enum(['threshold', 'overflow', 'tool-results', 'stream', 'manual', 'model']),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  summary: z.looseObject({
    ledger: z.string(),
    narrative: z.string(),
    opaque: z.looseObject({ blob: z.string(), model: z.string(), tokens: count.optional() }).optional(),
  }),
  hides: z.array(z.string()),
  createdAt: instant,
  undoneAt: instant.optional(),
});

export const compactionSchema: z.ZodType<Compaction> = compactionObject;

export const markSchema: z.ZodType<Mark> = z.discriminatedUnion('kind', [
  compactionObject,
  z.looseObject({
    kind: z.literal('prune'),
    id,
    messageId: id,
    partIndex: count,
    compactedAt: instant,
    compactionId: id.optional(),
    undoneAt: instant.optional(),
  }),
  z.looseObject({
    kind: z.literal('cut'),
    id,
    messageId: id,
    partIndex: count,
    keepChars: count,
    createdAt: instant,
    compactionId: id.optional(),
    undoneAt: instant.optional(),
  }),
  z.looseObject({
    kind: z.literal('omit'),
    id,
    messageId: id,
    partIndex: count,
    what: z.enum(['media', 'all']),
    refusalId: id,
    createdAt: instant,
    undoneAt: instant.optional(),
  }),
  z.looseObject({
    kind: z.literal('pin'),
    id,
    messageId: id,
    createdAt: instant,
    undoneAt: instant.optional(),
  }),
  z.looseObject({
    kind: z.literal('revert'),
    id,
    at: count,
    parts: count.optional(),
    to: count,
    branchedAt: instant.optional(),
    treeBefore: treeSchema.optional(),
    treeAfter: treeSchema.optional(),
    undoes: id.optional(),
    createdAt: instant,
    undoneAt: instant.optional(),
  }),
]);
