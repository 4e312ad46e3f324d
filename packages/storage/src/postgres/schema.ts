import type { ProcessOutcome, SandboxKind } from '@longhaul/core';
import type { Compaction, Mark, Message, Part, RunStatus, Session } from '@longhaul/protocol';
import { bigint, boolean, customType, doublePrecision, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { fromStoredText, toStoredText } from './stored-text.ts';

/** The tables as queries see them. migrations.ts creates them, and a test compares the two. */

/** Milliseconds, keys and epochs, which fit into a number. */
const whole = (name: string) => bigint(name, { mode: 'number' });

/** A text that a person, a model or a program wrote. */
const anyText = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: toStoredText,
  fromDriver: fromStoredText,
});

/** A text that is stored as JSON. */
const jsonText = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (stored) => String(JSON.parse(stored)),
});

export const sessions = pgTable('sessions', {
  id: text('id').primaryKey(),
  createdAt: whole('created_at').notNull(),
  /** `unfinished`: a copy, an import or a deletion that is not complete. Such a session has no head. */
  status: text('status').$type<Session['status'] | 'unfinished'>().notNull(),
  task: anyText('task').notNull(),
  title: anyText('title').notNull(),
  model: anyText('model').notNull(),
  workspace: anyText('workspace').notNull(),
  metadata: text('metadata'),
  checksum: integer('checksum'),
  parentId: text('parent_id'),
  parentCallId: anyText('parent_call_id'),
  summary: anyText('summary'),
});

export const heads = pgTable('heads', {
  sessionId: text('session_id').primaryKey(),
  updatedAt: whole('updated_at').notNull(),
  lastSequence: integer('last_sequence').notNull(),
  lastEvent: integer('last_event').notNull(),
  epoch: whole('epoch').notNull(),
  runId: text('run_id'),
  expiresAt: whole('expires_at'),
  expiresUptime: whole('expires_uptime'),
  appends: whole('appends').notNull(),
});

export const runs = pgTable('runs', {
  runId: text('run_id').primaryKey(),
  sessionId: text('session_id').notNull(),
  epoch: whole('epoch').notNull(),
  host: text('host').notNull(),
  bootId: text('boot_id').notNull(),
  pid: integer('pid').notNull(),
  processStartedAt: text('process_started_at').notNull(),
  startedAt: whole('started_at').notNull(),
  endedAt: whole('ended_at'),
  status: text('status').$type<RunStatus>(),
  address: text('address'),
});

export const messages = pgTable('messages', {
  id: text('id').primaryKey(),
  sessionId: text('session_id').notNull(),
  sequence: integer('sequence').notNull(),
  role: text('role').$type<Message['role']>().notNull(),
  status: text('status').$type<Message['status']>().notNull(),
  tokenCount: integer('token_count').notNull(),
  createdAt: whole('created_at').notNull(),
  finishReason: text('finish_reason').$type<NonNullable<Message['finishReason']>>(),
  usage: text('usage'),
  cost: doublePrecision('cost'),
  model: anyText('model'),
  metadata: text('metadata'),
  checksum: integer('checksum'),
});

export const parts = pgTable('parts', {
  sessionId: text('session_id').notNull(),
  sequence: integer('sequence').notNull(),
  index: integer('part_index').notNull(),
  messageId: text('message_id').notNull(),
  type: text('type').$type<Part['type']>().notNull(),
  state: text('state'),
  /** The part as JSON. For a streaming text, `part_chunks` contains the text appended since. */
  body: text('body').notNull(),
  checksum: integer('checksum'),
  /** Written as `'word':1,7 'other':2`. */
  search: customType<{ data: string; driverData: string }>({ dataType: () => 'tsvector' })('search'),
});

/** Pieces of a streaming text, so that a long text is not rewritten at every flush. Deleted when the part closes. */
export const partChunks = pgTable('part_chunks', {
  sessionId: text('session_id').notNull(),
  sequence: integer('sequence').notNull(),
  index: integer('part_index').notNull(),
  number: integer('number').notNull(),
  text: jsonText('text').notNull(),
  checksum: integer('checksum'),
});

export const marks = pgTable('marks', {
  /** Creation order of marks. */
  key: whole('key').primaryKey().generatedAlwaysAsIdentity(),
  id: text('id').notNull(),
  sessionId: text('session_id').notNull(),
  kind: text('kind').$type<Mark['kind']>().notNull(),
  /** JSON. Null for a compaction, which has a row in its own table. */
  body: text('body'),
  undoneAt: whole('undone_at'),
  checksum: integer('checksum'),
});

export const compactions = pgTable('compactions', {
  id: text('id').primaryKey(),
  sessionId: text('session_id').notNull(),
  round: integer('round').notNull(),
  strategy: text('strategy').notNull(),
  reason: text('reason').$type<Compaction['reason']>().notNull(),
  tokensBefore: integer('tokens_before').notNull(),
  tokensAfter: integer('tokens_after').notNull(),
  /** JSON `{ledger, narrative}`. */
  summaryContent: text('summary_content').notNull(),
  /** JSON of `HiddenMessages`. */
  hides: text('hides').notNull(),
  createdAt: whole('created_at').notNull(),
  undoneAt: whole('undone_at'),
  checksum: integer('checksum'),
});

export const queue = pgTable('queue', {
  /** Queue order. */
  key: whole('key').primaryKey().generatedByDefaultAsIdentity(),
  sessionId: text('session_id').notNull(),
  id: text('id').notNull(),
  content: text('content').notNull(),
  queuedAt: whole('queued_at').notNull(),
  metadata: text('metadata'),
  /** Taken and removed rows are kept, so that a repeated id is recognized. */
  state: text('state').$type<'waiting' | 'taken' | 'removed'>().notNull(),
  /** The result of the first `enqueue`, returned again for a repeated id. */
  position: integer('position').notNull(),
  eventNumber: integer('event_number').notNull(),
  checksum: integer('checksum'),
});

export const events = pgTable('events', {
  sessionId: text('session_id').notNull(),
  number: integer('number').notNull(),
  at: whole('at').notNull(),
  type: text('type').notNull(),
  /** The event as JSON, without what it repeats of its source. */
  payload: text('payload').notNull(),
  /** Sequence of the message that the event repeats; null if the payload is whole. */
  sourceSequence: integer('source_sequence'),
  /** Index of the part that the event repeats; null for the texts of the message. */
  sourcePart: integer('source_part'),
  checksum: integer('checksum'),
});

export const checkpoints = pgTable('checkpoints', {
  sessionId: text('session_id').primaryKey(),
  sequence: integer('sequence').notNull(),
  /** JSON. */
  fold: text('fold').notNull(),
  checksum: integer('checksum'),
});

export const cancels = pgTable('cancels', {
  runId: text('run_id').primaryKey(),
  sessionId: text('session_id').notNull(),
  clearQueue: boolean('clear_queue').notNull(),
  requestedAt: whole('requested_at').notNull(),
});

export const processes = pgTable('processes', {
  /** Order of the starts. */
  key: whole('key').primaryKey().generatedAlwaysAsIdentity(),
  id: text('id').notNull(),
  sessionId: text('session_id').notNull(),
  runId: text('run_id').notNull(),
  command: anyText('command').notNull(),
  driver: text('driver').$type<SandboxKind>().notNull(),
  host: text('host').notNull(),
  bootId: text('boot_id').notNull(),
  mark: text('mark').notNull(),
  pid: integer('pid'),
  processStartedAt: text('process_started_at'),
  pidNamespace: text('pid_namespace'),
  /** Paths, one per line. */
  cgroups: anyText('cgroups'),
  container: text('container'),
  startedAt: whole('started_at').notNull(),
  endedAt: whole('ended_at'),
  outcome: text('outcome').$type<ProcessOutcome>(),
});

export const outputs = pgTable('outputs', {
  /** Order in which they were kept. */
  key: whole('key').primaryKey().generatedAlwaysAsIdentity(),
  sessionId: text('session_id').notNull(),
  handle: text('handle').notNull(),
  blobId: text('blob_id').notNull(),
  bytes: whole('bytes').notNull(),
  keptAt: whole('kept_at').notNull(),
  deletedAt: whole('deleted_at'),
});

/** Windows learned from refusals. */
export const servers = pgTable('servers', {
  baseUrl: text('base_url').notNull(),
  model: text('model').notNull(),
  windowTokens: integer('window_tokens').notNull(),
  /** The window that the server reported when the window was learned; null if it reported none. */
  reportedTokens: integer('reported_tokens'),
  learnedAt: whole('learned_at').notNull(),
});

/** Settings of requests, learned from refusals. */
export const serverSettings = pgTable('server_settings', {
  baseUrl: text('base_url').notNull(),
  model: text('model').notNull(),
  /** JSON. */
  settings: text('settings').notNull(),
  learnedAt: whole('learned_at').notNull(),
});

/** Calls that wait, or waited, for a person's approval. */
export const approvals = pgTable('approvals', {
  sessionId: text('session_id').notNull(),
  /** The call's position in the session. Call ids are not unique, because a provider may reuse one. */
  handle: text('handle').notNull(),
  callId: anyText('call_id').notNull(),
  toolName: anyText('tool_name').notNull(),
  /** JSON. */
  args: text('args').notNull(),
  requestedAt: whole('requested_at').notNull(),
  answeredAt: whole('answered_at'),
  answer: text('answer').$type<'once' | 'always' | 'deny'>(),
  reason: anyText('reason'),
  /** JSON. */
  content: text('content'),
});

/** Settings changed while the program ran, as JSON. */
export const settings = pgTable('settings', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
  checksum: integer('checksum'),
});

/** What model calls have used. */
export const usage = pgTable('usage', {
  /** In UTC: `2026-11-30`. */
  day: text('day').notNull(),
  owner: text('owner').notNull(),
  model: anyText('model').notNull(),
  /** '' for a call outside of sessions. */
  sessionId: text('session_id').notNull(),
  calls: whole('calls').notNull(),
  inputTokens: whole('input_tokens').notNull(),
  outputTokens: whole('output_tokens').notNull(),
  reasoningTokens: whole('reasoning_tokens').notNull(),
  cacheReadTokens: whole('cache_read_tokens').notNull(),
  cacheWriteTokens: whole('cache_write_tokens').notNull(),
  totalTokens: whole('total_tokens').notNull(),
  unpricedTokens: whole('unpriced_tokens').notNull(),
  costUsd: doublePrecision('cost_usd').notNull(),
});

/** The sums that budgets are compared with. */
export const spent = pgTable('spent', {
  scope: text('scope').primaryKey(),
  tokens: whole('tokens').notNull(),
  costUsd: doublePrecision('cost_usd').notNull(),
});

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Blobs of sessions, if `storage.blobs` is `postgres`. */
export const blobs = pgTable('blobs', {
  id: text('id').primaryKey(),
  size: whole('size').notNull(),
  data: bytes('data').notNull(),
});

/** Blobs, wherever they are kept, to which nothing referred when garbage collection looked. */
export const dyingBlobs = pgTable('dying_blobs', {
  id: text('id').primaryKey(),
  since: whole('since').notNull(),
});
