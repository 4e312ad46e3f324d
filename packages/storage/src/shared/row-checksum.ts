import { crc32 } from 'node:zlib';
import { unpackText } from './packed-text.ts';

/**
 * The columns that each table's checksum covers, by their names in queries. Columns that change while the content stays
 * the same are not covered: the time at which a mark was undone, the state of a queued message, the last use of a cache
 * entry.
 */
export const CHECKED_COLUMNS = {
  sessions: {
    id: 'id',
    createdAt: 'created_at',
    status: 'status',
    task: 'task',
    title: 'title',
    model: 'model',
    workspace: 'workspace',
    metadata: 'metadata',
    parentId: 'parent_id',
    parentCallId: 'parent_call_id',
    summary: 'summary',
  },
  messages: {
    id: 'id',
    sessionId: 'session_id',
    sequence: 'sequence',
    role: 'role',
    status: 'status',
    tokenCount: 'token_count',
    createdAt: 'created_at',
    finishReason: 'finish_reason',
    usage: 'usage',
    cost: 'cost',
    model: 'model',
    metadata: 'metadata',
  },
  parts: { messageId: 'message_id', index: 'part_index', type: 'type', state: 'state', body: 'body' },
  part_chunks: { partKey: 'part_key', text: 'text' },
  marks: { id: 'id', sessionId: 'session_id', kind: 'kind', body: 'body' },
  compactions: {
    id: 'id',
    sessionId: 'session_id',
    round: 'round',
    strategy: 'strategy',
    reason: 'reason',
    tokensBefore: 'tokens_before',
    tokensAfter: 'tokens_after',
    summaryContent: 'summary_content',
    hides: 'hides',
    createdAt: 'created_at',
  },
  queue: {
    sessionId: 'session_id',
    id: 'id',
    content: 'content',
    queuedAt: 'queued_at',
    metadata: 'metadata',
    position: 'position',
    eventNumber: 'event_number',
  },
  events: {
    sessionId: 'session_id',
    number: 'number',
    at: 'at',
    type: 'type',
    payload: 'payload',
    sourceSequence: 'source_sequence',
    sourcePart: 'source_part',
  },
  checkpoints: { sessionId: 'session_id', sequence: 'sequence', fold: 'fold' },
  settings: { key: 'key', value: 'value' },
  cache: { key: 'key', value: 'value' },
} as const;

export type CheckedTable = keyof typeof CHECKED_COLUMNS;

/** Primary keys of the tables without row ids. */
export const KEY_COLUMNS: Readonly<Partial<Record<CheckedTable, readonly string[]>>> = {
  events: ['session_id', 'number'],
  settings: ['key'],
};

/** Columns that older versions did not have. A checksum covers them only where they have a value. */
const LATER_COLUMNS = ['parentId', 'parentCallId', 'summary'] as const;
type LaterColumn = (typeof LATER_COLUMNS)[number];
const LATER: ReadonlySet<string> = new Set(LATER_COLUMNS);

type Values<T extends CheckedTable> = Record<
  Exclude<keyof (typeof CHECKED_COLUMNS)[T], LaterColumn>,
  unknown
> &
  Partial<Record<LaterColumn, unknown>>;

const NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(CHECKED_COLUMNS).map(([table, columns]) => [table, Object.keys(columns)]),
);

/**
 * Returns the checksum of a row: the CRC-32 of its values, with packed texts unpacked, as a signed 32-bit number. It
 * finds every single flipped bit and every damage of up to 32 consecutive bits; other damage escapes it once in 4
 * billion times.
 */
export function rowChecksum<T extends CheckedTable>(table: T, row: Values<T>): number {
  return rowChecksumOf(table, row);
}

/** The same for a row whose type is not known. */
export function rowChecksumOf(table: CheckedTable, row: Readonly<Record<string, unknown>>): number {
  let text = '';
  for (const name of NAMES.get(table) ?? []) {
    const value = unpackText(row[name] ?? '');
    if (!LATER.has(name)) text += `${value}\0`;
    else if (value !== '') text += `${name}=${value}\0`;
  }
  return crc32(text) | 0;
}

/**
 * Whether the row is as it was written. A row without a checksum counts as such: an older version wrote it, or it was
 * read from an older database.
 */
export function isSoundRow(table: CheckedTable, row: Readonly<Record<string, unknown>>): boolean {
  const { checksum } = row;
  return checksum === null || checksum === undefined || Number(checksum) === rowChecksumOf(table, row);
}

/** The reason given for a row that its checksum does not match. */
export const CHANGED_ON_DISK = 'its bytes changed on disk: they do not match its checksum';
