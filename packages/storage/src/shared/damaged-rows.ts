import type { DamagedRow } from '@longhaul/core';
import { handleOf } from '@longhaul/protocol';
import { unpackText } from './packed-text.ts';
import {
  CHANGED_ON_DISK,
  CHECKED_COLUMNS,
  type CheckedTable,
  isSoundRow,
  KEY_COLUMNS,
} from './row-checksum.ts';
import type { RowCheck } from './row-shapes.ts';

/** Yields the rows of a query. A damaged page makes it throw. */
export type RowSource = (sql: string, ...values: RowKey[]) => Iterable<Record<string, unknown>>;

type RowKey = string | number | bigint | null;

export interface FoundDamage extends DamagedRow {
  /** Absent for a row of no session, or of a session that cannot be found. */
  sessionId?: string;
}

interface Scan {
  /** Expressions for the row's id, and its session, sequence and part index where it has them. */
  id: string;
  session?: string;
  sequence?: string;
  part?: string;
  join?: string;
  /** Columns that contain JSON. They are checked in rows without a checksum. */
  json?: readonly string[];
}

const OF_MESSAGE = 'LEFT JOIN messages ON messages.id = parts.message_id';

const SCANS: Readonly<Record<CheckedTable, Scan>> = {
  sessions: { id: 'sessions.id', session: 'sessions.id', json: ['metadata'] },
  messages: {
    id: 'messages.id',
    session: 'messages.session_id',
    sequence: 'messages.sequence',
    json: ['usage', 'metadata'],
  },
  parts: {
    id: "parts.message_id || '/' || parts.part_index",
    session: 'messages.session_id',
    sequence: 'messages.sequence',
    part: 'parts.part_index',
    join: OF_MESSAGE,
    json: ['body'],
  },
  part_chunks: {
    id: "parts.message_id || '/' || parts.part_index",
    session: 'messages.session_id',
    sequence: 'messages.sequence',
    part: 'parts.part_index',
    join: `LEFT JOIN parts ON parts.key = part_chunks.part_key ${OF_MESSAGE}`,
  },
  marks: { id: 'marks.id', session: 'marks.session_id', json: ['body'] },
  compactions: {
    id: 'compactions.id',
    session: 'compactions.session_id',
    json: ['summaryContent', 'hides'],
  },
  queue: { id: 'queue.id', session: 'queue.session_id', json: ['content', 'metadata'] },
  events: {
    id: "events.session_id || '/' || events.number",
    session: 'events.session_id',
    json: ['payload'],
  },
  checkpoints: { id: 'checkpoints.session_id', session: 'checkpoints.session_id' },
  settings: { id: 'settings.key', json: ['value'] },
  cache: { id: 'cache.key' },
};

/**
 * Yields the rows whose checksum does not match, and those without one whose content cannot be read. With a
 * session, only its rows. A table that a damaged page makes unreadable ends with a row that says so.
 */
export function* damagedRows(
  rows: RowSource,
  { check, sessionId }: { check: RowCheck; sessionId?: string },
): Generator<FoundDamage> {
  for (const table of Object.keys(SCANS) as CheckedTable[]) {
    if (sessionId !== undefined && SCANS[table].session === undefined) continue;
    try {
      yield* damagedRowsOf(rows, table, { check, sessionId });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      yield { table, id: '*', reason: `the rest of the table cannot be read: ${reason}` };
    }
  }
}

function damagedRowsOf(
  rows: RowSource,
  table: CheckedTable,
  { check: checkContent, sessionId }: { check: RowCheck; sessionId: string | undefined },
): FoundDamage[] {
  const scan = SCANS[table];
  const keys = KEY_COLUMNS[table] ?? ['rowid'];
  const places = [
    ...keys.map((key, index) => `${table}.${key} AS "-key${index}-"`),
    ...(['id', 'session', 'sequence', 'part'] as const).map(
      (place) => `${scan[place] ?? 'NULL'} AS "-${place}-"`,
    ),
  ].join(', ');
  const content = [
    ...Object.entries(CHECKED_COLUMNS[table]).map(([name, column]) => `${table}.${column} AS "${name}"`),
    `${table}.checksum AS checksum`,
  ].join(', ');
  const from = `FROM ${table} ${scan.join ?? ''}`;
  const where = sessionId === undefined ? '' : `WHERE ${scan.session} = ?`;
  const values = sessionId === undefined ? [] : [sessionId];
  const check = (row: Record<string, unknown>) => damageOf(table, row, checkContent);
  try {
    const found: FoundDamage[] = [];
    for (const row of rows(`SELECT ${places}, ${content} ${from} ${where}`, ...values)) {
      const reason = check(row);
      if (reason !== undefined) found.push(damageAt(table, row, reason));
    }
    return found;
  } catch {
    // A damaged page: each row is read on its own.
    const one = `SELECT ${content} FROM ${table} WHERE ${keys.map((key) => `${key} = ?`).join(' AND ')}`;
    return [...rows(`SELECT ${places} ${from} ${where}`, ...values)].flatMap((place) => {
      const key = keys.map((_, index) => keyValue(place[`-key${index}-`]));
      const reason = readableDamage(() => rows(one, ...key), check);
      return reason === undefined ? [] : [damageAt(table, place, reason)];
    });
  }
}

/** Returns the damage of one row, also if it cannot be read. */
function readableDamage(
  read: () => Iterable<Record<string, unknown>>,
  damage: (row: Record<string, unknown>) => string | undefined,
): string | undefined {
  try {
    for (const row of read()) return damage(row);
    return 'its row is missing';
  } catch (error) {
    return `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function damageAt(table: CheckedTable, row: Readonly<Record<string, unknown>>, reason: string): FoundDamage {
  const { '-id-': id, '-session-': session, '-sequence-': sequence, '-part-': part } = row;
  const handle = isPresent(sequence)
    ? handleOf(Number(sequence), isPresent(part) ? Number(part) : undefined)
    : undefined;
  return {
    table,
    id: String(id),
    reason,
    ...(typeof session === 'string' ? { sessionId: session } : {}),
    ...(handle === undefined ? {} : { handle }),
  };
}

function keyValue(value: unknown): RowKey {
  return typeof value === 'bigint' || typeof value === 'number' ? value : String(value);
}

function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** Returns what is wrong with a row. Undefined: nothing. */
export function damageOf(
  table: CheckedTable,
  row: Readonly<Record<string, unknown>>,
  check: RowCheck,
): string | undefined {
  const { checksum } = row;
  const { json = [] } = SCANS[table];
  if (checksum !== null) return isSoundRow(table, row) ? undefined : CHANGED_ON_DISK;
  try {
    for (const name of json) JSON.parse(unpackText(row[name] ?? 'null'));
    return check(table, contentOf(table, row));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function contentOf(table: CheckedTable, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.keys(CHECKED_COLUMNS[table]).map((name) => [name, plain(row[name])]));
}

/** Rows are read with big integers. One that is too large for a number stays, and fails the check. */
function plain(value: unknown): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
