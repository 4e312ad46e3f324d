import type { ProcessOutcome, SandboxKind } from '@longhaul/core';
import type { LearnedSettings } from '@longhaul/models';
import type { Compaction, Mark, Message, Part, RunStatus, Session } from '@longhaul/protocol';
import { sql } from 'drizzle-orm';
import {
  customType,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  unique,
} from 'drizzle-orm/sqlite-core';
import { packText, unpackText } from '../shared/packed-text.ts';

/** A text that is stored compressed if it is long. Older versions stored all texts as they are. */
const packedText = customType<{ data: string; driverData: string | Uint8Array }>({
  dataType: () => 'text',
  toDriver: packText,
  fromDriver: unpackText,
});

/**
 * The tables as queries see them. migrations.ts creates them, and a test compares the two. JSON columns are plain text
 * here, so that one damaged row cannot fail a query over many rows. `checksum` is the CRC-32 of a row's content
 * (`row-checksum.ts`), or null in rows that an older version wrote.
 */

export const sessions = sqliteTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    createdAt: integer('created_at').notNull(),
    /** `unfinished`: a copy, an import or a deletion that is not complete. Such a session has no head. */
    status: text('status').$type<Session['status'] | 'unfinished'>().notNull(),
    task: text('task').notNull(),
    title: text('title').notNull(),
    model: text('model').notNull(),
    workspace: text('workspace').notNull(),
    metadata: text('metadata'),
    checksum: integer('checksum'),
    parentId: text('parent_id'),
    parentCallId: text('parent_call_id'),
    summary: text('summary'),
  },
  (table) => [
    index('sessions_newest').on(table.createdAt, table.id),
    index('sessions_children').on(table.parentId).where(sql`parent_id IS NOT NULL`),
  ],
);

/**
 * The values that every append reads or changes, separate from the session's larger row, so that an append rewrites few
 * bytes.
 */
export const heads = sqliteTable('heads', {
  sessionId: text('session_id').primaryKey(),
  updatedAt: integer('updated_at').notNull(),
  lastSequence: integer('last_sequence').notNull(),
  lastEvent: integer('last_event').notNull(),
  epoch: integer('epoch').notNull(),
  /** The run that holds the lease, or null. */
  runId: text('run_id'),
  expiresAt: integer('expires_at'),
  /** The same time in milliseconds since the holder's machine started. Setting the wall clock does not affect it. */
  expiresUptime: integer('expires_uptime'),
});

export const runs = sqliteTable(
  'runs',
  {
    runId: text('run_id').primaryKey(),
    sessionId: text('session_id').notNull(),
    epoch: integer('epoch').notNull(),
    host: text('host').notNull(),
    bootId: text('boot_id').notNull(),
    pid: integer('pid').notNull(),
    processStartedAt: text('process_started_at').notNull(),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
    status: text('status').$type<RunStatus>(),
  },
  (table) => [unique('runs_of_session').on(table.sessionId, table.epoch)],
);

export const messages = sqliteTable(
  'messages',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id').notNull(),
    sequence: integer('sequence').notNull(),
    role: text('role').$type<Message['role']>().notNull(),
    status: text('status').$type<Message['status']>().notNull(),
    tokenCount: integer('token_count').notNull(),
    createdAt: integer('created_at').notNull(),
    finishReason: text('finish_reason').$type<NonNullable<Message['finishReason']>>(),
    usage: text('usage'),
    cost: real('cost'),
    model: text('model'),
    metadata: text('metadata'),
    checksum: integer('checksum'),
  },
  (table) => [unique('messages_of_session').on(table.sessionId, table.sequence)],
);

export const parts = sqliteTable(
  'parts',
  {
    /** Identifies the part in the search index and in `part_chunks`. */
    key: integer('key').primaryKey(),
    messageId: text('message_id').notNull(),
    index: integer('part_index').notNull(),
    type: text('type').$type<Part['type']>().notNull(),
    state: text('state'),
    /** The part as JSON. For a streaming text, `part_chunks` contains the text appended since. */
    body: packedText('body').notNull(),
    checksum: integer('checksum'),
  },
  (table) => [
    unique('parts_of_message').on(table.messageId, table.index),
    index('parts_patches').on(table.messageId, table.index).where(sql`type = 'patch'`),
  ],
);

/** Pieces of a streaming text, so that a long text is not rewritten at every flush. Deleted when the part closes. */
export const partChunks = sqliteTable(
  'part_chunks',
  {
    key: integer('key').primaryKey(),
    partKey: integer('part_key').notNull(),
    text: text('text').notNull(),
    checksum: integer('checksum'),
  },
  (table) => [index('part_chunks_of_part').on(table.partKey)],
);

export const marks = sqliteTable(
  'marks',
  {
    /** Creation order of marks. */
    key: integer('key').primaryKey(),
    id: text('id').notNull().unique(),
    sessionId: text('session_id').notNull(),
    kind: text('kind').$type<Mark['kind']>().notNull(),
    /** JSON. Null for a compaction, which has a row in its own table. */
    body: text('body'),
    undoneAt: integer('undone_at'),
    checksum: integer('checksum'),
  },
  (table) => [
    index('marks_of_session').on(table.sessionId, table.key),
    index('marks_reverts').on(table.sessionId, table.key).where(sql`kind = 'revert'`),
  ],
);

export const compactions = sqliteTable('compactions', {
  id: text('id').primaryKey(),
  sessionId: text('session_id').notNull(),
  round: integer('round').notNull(),
  strategy: text('strategy').notNull(),
  reason: text('reason').$type<Compaction['reason']>().notNull(),
  tokensBefore: integer('tokens_before').notNull(),
  tokensAfter: integer('tokens_after').notNull(),
  /** JSON `{ledger, narrative}`. */
  summaryContent: packedText('summary_content').notNull(),
  /** JSON of `HiddenMessages`. */
  hides: text('hides').notNull(),
  createdAt: integer('created_at').notNull(),
  undoneAt: integer('undone_at'),
  checksum: integer('checksum'),
});

export const queue = sqliteTable(
  'queue',
  {
    /** Queue order. */
    key: integer('key').primaryKey(),
    sessionId: text('session_id').notNull(),
    id: text('id').notNull(),
    content: text('content').notNull(),
    queuedAt: integer('queued_at').notNull(),
    metadata: text('metadata'),
    /** Taken and removed rows are kept, so that a repeated id is recognized. */
    state: text('state').$type<'waiting' | 'taken' | 'removed'>().notNull(),
    /** The result of the first `enqueue`, returned again for a repeated id. */
    position: integer('position').notNull(),
    eventNumber: integer('event_number').notNull(),
    checksum: integer('checksum'),
  },
  (table) => [
    unique('queue_of_session').on(table.sessionId, table.id),
    index('queue_waiting').on(table.sessionId, table.state, table.key),
  ],
);

export const events = sqliteTable(
  'events',
  {
    sessionId: text('session_id').notNull(),
    number: integer('number').notNull(),
    at: integer('at').notNull(),
    type: text('type').notNull(),
    /** The event as JSON, without what it repeats of its source. */
    payload: text('payload').notNull(),
    /** Sequence of the message that the event repeats; null if the payload is whole. */
    sourceSequence: integer('source_sequence'),
    /** Index of the part that the event repeats; null for the texts of the message. */
    sourcePart: integer('source_part'),
    checksum: integer('checksum'),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.number] })],
);

export const checkpoints = sqliteTable('checkpoints', {
  sessionId: text('session_id').primaryKey(),
  sequence: integer('sequence').notNull(),
  /** JSON. */
  fold: packedText('fold').notNull(),
  checksum: integer('checksum'),
});

/** Requests to cancel a run. */
export const cancels = sqliteTable('cancels', {
  runId: text('run_id').primaryKey(),
  sessionId: text('session_id').notNull(),
  clearQueue: integer('clear_queue', { mode: 'boolean' }).notNull(),
  requestedAt: integer('requested_at').notNull(),
});

/** What runs have started, and where its processes can be found. */
export const processes = sqliteTable(
  'processes',
  {
    /** Order of the starts. */
    key: integer('key').primaryKey(),
    id: text('id').notNull().unique(),
    sessionId: text('session_id').notNull(),
    runId: text('run_id').notNull(),
    command: text('command').notNull(),
    driver: text('driver').$type<SandboxKind>().notNull(),
    host: text('host').notNull(),
    bootId: text('boot_id').notNull(),
    mark: text('mark').notNull(),
    pid: integer('pid'),
    processStartedAt: text('process_started_at'),
    pidNamespace: text('pid_namespace'),
    /** Paths, one per line. */
    cgroups: text('cgroups'),
    container: text('container'),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
    outcome: text('outcome').$type<ProcessOutcome>(),
  },
  (table) => [index('processes_of_session').on(table.sessionId, table.endedAt)],
);

/** The full texts of cut outputs that a session keeps as blobs. */
export const outputs = sqliteTable(
  'outputs',
  {
    /** Order in which they were kept. */
    key: integer('key').primaryKey(),
    sessionId: text('session_id').notNull(),
    handle: text('handle').notNull(),
    blobId: text('blob_id').notNull(),
    bytes: integer('bytes').notNull(),
    keptAt: integer('kept_at').notNull(),
    deletedAt: integer('deleted_at'),
  },
  (table) => [unique('outputs_of_session').on(table.sessionId, table.handle)],
);

/** Windows learned from refusals. */
export const servers = sqliteTable(
  'servers',
  {
    baseUrl: text('base_url').notNull(),
    model: text('model').notNull(),
    windowTokens: integer('window_tokens').notNull(),
    /** The window that the server reported when the window was learned; null if it reported none. */
    reportedTokens: integer('reported_tokens'),
    learnedAt: integer('learned_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.baseUrl, table.model] })],
);

/** Settings of requests, learned from refusals. */
export const serverSettings = sqliteTable(
  'server_settings',
  {
    baseUrl: text('base_url').notNull(),
    model: text('model').notNull(),
    settings: text('settings', { mode: 'json' }).$type<LearnedSettings>().notNull(),
    learnedAt: integer('learned_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.baseUrl, table.model] })],
);

/** Calls that wait, or waited, for a person's approval. */
export const approvals = sqliteTable(
  'approvals',
  {
    sessionId: text('session_id').notNull(),
    /** The call's position in the session. Call ids are not unique, because a provider may reuse one. */
    handle: text('handle').notNull(),
    callId: text('call_id').notNull(),
    toolName: text('tool_name').notNull(),
    /** JSON. */
    args: text('args').notNull(),
    requestedAt: integer('requested_at').notNull(),
    answeredAt: integer('answered_at'),
    answer: text('answer').$type<'once' | 'always' | 'deny'>(),
    reason: text('reason'),
    /** JSON. */
    content: text('content'),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.handle] })],
);

/** Settings changed while the program ran, as JSON. */
export const settings = sqliteTable('settings', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
  checksum: integer('checksum'),
});

/** What model calls have used. */
export const usage = sqliteTable(
  'usage',
  {
    /** In UTC: `2026-11-30`. */
    day: text('day').notNull(),
    owner: text('owner').notNull(),
    model: text('model').notNull(),
    /** '' for a call outside of sessions. */
    sessionId: text('session_id').notNull(),
    calls: integer('calls').notNull(),
    inputTokens: integer('input_tokens').notNull(),
    outputTokens: integer('output_tokens').notNull(),
    reasoningTokens: integer('reasoning_tokens').notNull(),
    cacheReadTokens: integer('cache_read_tokens').notNull(),
    cacheWriteTokens: integer('cache_write_tokens').notNull(),
    totalTokens: integer('total_tokens').notNull(),
    unpricedTokens: integer('unpriced_tokens').notNull(),
    costUsd: real('cost_usd').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.day, table.owner, table.model, table.sessionId] }),
    index('usage_of_session').on(table.sessionId),
  ],
);

/** The sums that budgets are compared with. */
export const spent = sqliteTable('spent', {
  scope: text('scope').primaryKey(),
  tokens: integer('tokens').notNull(),
  costUsd: real('cost_usd').notNull(),
});

export const cache = sqliteTable(
  'cache',
  {
    key: text('key').primaryKey(),
    value: text('value').notNull(),
    bytes: integer('bytes').notNull(),
    createdAt: integer('created_at').notNull(),
    usedAt: integer('used_at').notNull(),
    checksum: integer('checksum'),
  },
  (table) => [index('cache_oldest').on(table.usedAt, table.bytes)],
);

/** The FTS5 table. It is contentless: its columns can be written and matched, but not read. */
export const partSearch = sqliteTable('part_search', {
  key: integer('rowid').primaryKey(),
  text: text('text').notNull(),
  words: text('words').notNull(),
});
