import { z } from 'zod';
import { BUDGET_SCOPES } from '../budget.ts';
import type { LonghaulEvent } from '../events.ts';
import { fileChangeSchema, tokenUsageSchema } from '../schemas.ts';
import { askingChildSchema } from './approvals.ts';
import { errorShapeSchema, jsonObjectSchema, jsonValueSchema, nameText, queryCount } from './common.ts';
import { trustWantSchema } from './trust.ts';

/** The events of an event stream. `docs/api.md` explains how a reader assembles streamed text. */

const envelope = {
  sessionId: z.string(),
  at: z.number(),
  number: z.int().min(1).optional(),
};

const event = <Name extends string, Shape extends z.ZodRawShape>(type: Name, shape: Shape) =>
  z.looseObject({ type: z.literal(type), ...envelope, ...shape });

const amount = z.number();
const budgetFacts = {
  budget: z.enum(BUDGET_SCOPES),
  unit: z.enum(['tokens', 'costUsd']),
  spent: amount,
  limit: amount,
  renewsAt: amount.optional(),
};
const content = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: z.string(), mediaType: z.string().optional() }),
  z.looseObject({
    type: z.literal('file'),
    data: z.string(),
    mediaType: z.string(),
    filename: z.string().optional(),
  }),
]);
/** Where a message comes from that no user wrote. */
const originSchema = z.looseObject({
  kind: z.enum(['session', 'subtask']),
  sessionId: z.string(),
  handle: z.string().optional(),
  title: z.string().optional(),
  hops: amount.optional(),
});
const subtaskFactsSchema = z.looseObject({
  sessionId: z.string(),
  agent: z.string(),
  state: z.enum(['waiting', 'running', 'completed', 'failed', 'limit', 'cancelled', 'interrupted']),
  isBackground: z.boolean().optional(),
  title: z.string().optional(),
  steps: amount.optional(),
  tokens: amount.optional(),
  contextPercent: amount.optional(),
});
const finishReason = z.enum(['stop', 'tool-calls', 'length', 'content-filter', 'paused', 'error', 'other']);

/** Every event of this version. A newer server may send other types, which readers must ignore. */
export const eventSchema = z.discriminatedUnion('type', [
  event('run:started', { runId: z.string(), task: z.string(), model: z.string() }),
  event('run:finished', {
    runId: z.string(),
    status: z.enum(['completed', 'cancelled', 'failed', 'limit', 'interrupted']),
    stepCount: amount,
    usage: tokenUsageSchema,
    cost: amount.optional(),
    finishReason: finishReason.optional(),
    text: z.string(),
    error: errorShapeSchema.optional(),
    compactions: amount,
    continuationAsks: amount.optional(),
  }),
  event('run:repaired', {
    runIds: z.array(z.string()),
    unknownCalls: amount,
    unstartedCalls: amount,
    partialText: z.boolean(),
    killedCommands: amount.optional(),
    message: z.string(),
  }),
  event('session:status', { status: z.enum(['idle', 'busy', 'retrying', 'compacting']) }),
  event('llm:thinking', {}),
  event('llm:chunk', {
    chunkType: z.enum(['text', 'reasoning']),
    content: z.string(),
    isComplete: z.boolean().optional(),
    messageId: z.string(),
    partIndex: z.int().min(0),
    offset: z
      .int()
      .min(0)
      .meta({ description: 'Position of content in the text of the part, in UTF-16 code units.' }),
  }),
  event('llm:tool-call', { toolName: z.string(), args: jsonValueSchema, callId: z.string() }),
  event('llm:tool-progress', {
    callId: z.string(),
    title: z.string().optional(),
    metadata: jsonObjectSchema.optional(),
  }),
  event('llm:tool-result', {
    toolName: z.string(),
    callId: z.string(),
    success: z.boolean(),
    sanitized: z.array(content),
    rawResult: z.array(content).optional(),
    title: z.string().optional(),
    durationMs: amount.optional(),
    truncated: z.boolean().optional(),
    handle: z.string().optional(),
  }),
  event('llm:response', {
    content: z.string(),
    reasoning: z.string().optional(),
    provider: z.string(),
    model: z.string(),
    router: z.string().optional(),
    tokenUsage: tokenUsageSchema.optional(),
    cost: amount.optional(),
    finishReason,
  }),
  event('llm:error', {
    error: errorShapeSchema,
    context: z.string().optional(),
    recoverable: z.boolean(),
    content: z.string().optional(),
    reasoning: z.string().optional(),
  }),
  event('llm:retry', { attempt: amount, delayMs: amount, reason: z.string() }),
  event('llm:switched', { newConfig: jsonObjectSchema, historyRetained: z.boolean() }),
  event('llm:unsupported-input', {
    errors: z.array(z.string()),
    provider: z.string(),
    model: z.string().optional(),
    fileType: z.string().optional(),
    details: jsonObjectSchema.optional(),
  }),
  event('context:compressed', {
    originalTokens: amount,
    compressedTokens: amount,
    beforeTokens: amount.optional(),
    afterTokens: amount.optional(),
    originalMessages: amount,
    compressedMessages: amount,
    strategy: z.string(),
    reason: z.enum(['threshold', 'overflow', 'tool-results', 'stream', 'manual', 'model']),
    round: amount,
  }),
  event('context:pruned', { prunedCount: amount, savedTokens: amount }),
  event('context:undone', { round: amount }),
  event('context:usage', {
    tokens: amount,
    usableTokens: amount,
    windowTokens: amount,
    systemTokens: amount.optional(),
    toolTokens: amount.optional(),
    maxOutputTokens: amount.optional(),
    ratio: amount.optional(),
    mediaRatio: amount.optional(),
    returnsReasoning: z.boolean().optional(),
    reasoningTokens: amount.optional(),
  }),
  event('context:warning', { message: z.string() }),
  event('budget:warning', { message: z.string(), ...budgetFacts }),
  event('budget:exceeded', { message: z.string(), ...budgetFacts }),
  event('files:changed', {
    before: z.string().optional(),
    after: z.string(),
    files: z.array(fileChangeSchema),
    more: amount.optional(),
    byAgent: z.boolean(),
  }),
  event('session:reverted', { handle: z.string(), files: amount, conversation: z.boolean() }),
  event('session:unreverted', {}),
  event('session:titled', { title: z.string() }),
  event('process:started', { handle: z.string(), command: z.string(), isKept: z.boolean().optional() }),
  event('process:ended', { handle: z.string(), command: z.string(), exitCode: z.int().optional() }),
  event('subtask:started', {
    childId: z.string(),
    callId: z.string(),
    handle: z.string(),
    agent: z.string(),
    title: z.string(),
    isBackground: z.boolean().optional(),
  }),
  event('subtask:progress', { callId: z.string(), handle: z.string(), facts: subtaskFactsSchema }),
  event('subtask:finished', { callId: z.string(), handle: z.string(), facts: subtaskFactsSchema }),
  event('message:queued', { id: z.string(), position: amount, origin: originSchema.optional() }),
  event('queue:changed', { count: amount }),
  event('run:waiting', { position: amount.optional() }),
  event('message:dequeued', {
    count: amount,
    ids: z.array(z.string()),
    coalesced: z.boolean(),
    origins: z.array(originSchema).optional(),
  }),
  event('approval:requested', {
    callId: z.string(),
    handle: z.string(),
    toolName: z.string(),
    args: jsonValueSchema,
    child: askingChildSchema.optional(),
  }),
  event('approval:answered', {
    callId: z.string(),
    handle: z.string(),
    allowed: z.boolean(),
    reason: z.string().optional(),
    child: askingChildSchema.optional(),
  }),
  event('trust:requested', { workspace: z.string(), wants: z.array(trustWantSchema) }),
  event('trust:answered', {
    workspace: z.string(),
    wants: z.array(trustWantSchema),
    answer: z.enum(['trusted', 'ignored']),
  }),
]) satisfies z.ZodType<LonghaulEvent>;

export const allEventsQuery = z.strictObject({
  numbered: z.enum(['true', 'false']).default('false').meta({
    description:
      'Only events with a number. Leaves out pieces of text, progress of tools and changes of the queue.',
  }),
});

export const eventsQuery = z.strictObject({
  after: queryCount({ min: 0, max: 1e12 }).optional().meta({
    description:
      'Number of the last event that the client has. 0: from the start. Last-Event-ID takes precedence.',
  }),
});

export const eventsHeaders = z.looseObject({
  'last-event-id': nameText(40)
    .optional()
    .meta({ description: 'Number of the last event that the client has.' }),
});

/**
 * The data of the named SSE event `resync`, which ends the stream. Unnamed SSE events have a `LonghaulEvent` each. The
 * stream of all sessions also has the named event `changed`, with no data: another process has changed the store.
 * `slow`: the reader was too slow. `stopping`: the server is stopping. In both cases the reader reconnects with its
 * last number. `deleted`: the session was deleted. `unauthorized`: the token was revoked or has expired, or the session
 * is no longer shared.
 */
export const resyncSchema = z.looseObject({
  reason: z.enum(['slow', 'stopping', 'deleted', 'unauthorized']),
});
export type Resync = z.infer<typeof resyncSchema>;
