import { realpathSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { LeaseOwner } from '@longhaul/core';
import type { Part } from '@longhaul/protocol';
import { sessionFacts } from '../maintenance/session-facts.ts';
import { packText, unpackText } from '../shared/packed-text.ts';
import { isSoundRow, rowChecksum } from '../shared/row-checksum.ts';
import { searchTextOf } from '../shared/search-text.ts';
import { mapSqliteError } from '../sqlite/sqlite-errors.ts';
import type { StoredHead, StoreTables } from './store-tables.ts';
import { PART_CHUNKS, PARTS, type Row, type Table, type Value, whereOf } from './tables.ts';

const ROWS_AT_ONCE = 200;
const WAIT_MS = 5_000;

type StoredRow = Record<string, SQLOutputValue>;

/** Where the rows of a table are, if they do not name their session. */
const SOURCES: Readonly<Record<string, string>> = {
  parts: `(SELECT parts.*, messages.session_id, messages.sequence FROM messages JOIN parts ON parts.message_id = messages.id)`,
  part_chunks: `(SELECT part_chunks.key AS number, part_chunks.part_key, part_chunks.text, part_chunks.checksum, messages.session_id, messages.sequence, parts.part_index
    FROM messages JOIN parts ON parts.message_id = messages.id JOIN part_chunks ON part_chunks.part_key = parts.key)`,
};

export interface SqliteTablesOptions {
  isAlive: (owner: LeaseOwner) => boolean;
  now?: () => number;
}

/** Opens a database whose tables are those of this program. */
export function openSqliteTables(
  path: string,
  { isAlive, now = Date.now }: SqliteTablesOptions,
): StoreTables {
  const database = new DatabaseSync(path, { timeout: WAIT_MS });
  database.exec('PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL');
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const mapped = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw mapSqliteError(error, path);
    }
  };
  const end = (sql: string) => {
    if (database.isTransaction) mapped(() => database.exec(sql));
  };

  return {
    place: path,
    id: realpathSync(path),
    begin: async (access) => mapped(() => database.exec(access === 'read' ? 'BEGIN' : 'BEGIN IMMEDIATE')),
    commit: async () => end('COMMIT'),
    rollback: async () => end('ROLLBACK'),
    listHeads: async () => mapped(() => headsOf(database, { isAlive, now })),
    async *rows(table, sessionId) {
      for (const rows of batches(iterate(prepared(selectOf(table)), sessionId)))
        yield rows.map((row) => toRow(table, row));
    },
    insert: async (table, rows) =>
      mapped(() => {
        for (const row of rows) insertRow(prepared, table, row);
      }),
    dropRest: async (sessionId) =>
      mapped(() => {
        const isRest = 'id = ? AND NOT EXISTS (SELECT 1 FROM heads WHERE session_id = id)';
        prepared(`DELETE FROM sessions WHERE ${isRest}`).run(sessionId);
      }),
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}

function headsOf(database: DatabaseSync, options: Required<SqliteTablesOptions>): StoredHead[] {
  const running = new Set(
    sessionFacts(database, options)
      .filter(({ isLive }) => isLive)
      .map(({ id }) => id),
  );
  const rows = database
    .prepare(
      `SELECT id, last_sequence, last_event, updated_at FROM sessions JOIN heads ON heads.session_id = sessions.id
       ORDER BY created_at, id`,
    )
    .all();
  return rows.map((row) => ({
    id: String(row['id']),
    lastSequence: Number(row['last_sequence']),
    lastEvent: Number(row['last_event']),
    updatedAt: Number(row['updated_at']),
    isRunning: running.has(String(row['id'])),
  }));
}

function selectOf(table: Table): string {
  const { name, columns, order } = table;
  const read =
    table === PART_CHUNKS
      ? [...Object.keys(columns).slice(0, -1), 'part_key', 'checksum']
      : Object.keys(columns);
  return `SELECT ${read.join(', ')} FROM ${SOURCES[name] ?? name} ${whereOf(table, '?1')} ORDER BY ${order.join(', ')}`;
}

function iterate(statement: StatementSync, sessionId: string | undefined): Iterable<StoredRow> {
  return sessionId === undefined ? statement.iterate() : statement.iterate(sessionId);
}

function* batches(rows: Iterable<StoredRow>): Generator<StoredRow[]> {
  let batch: StoredRow[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < ROWS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function toRow(table: Table, stored: StoredRow): Row {
  const row: Record<string, Value> = {};
  for (const [name, kind] of Object.entries(table.columns)) {
    const value = stored[name] ?? null;
    if (value === null) row[name] = null;
    else
      row[name] = kind === 'number' ? Number(value) : kind === 'packed' ? unpackText(value) : String(value);
  }
  if (table === PART_CHUNKS) {
    const { part_key: partKey, text, checksum } = stored;
    row['is_sound'] = Number(isSoundRow('part_chunks', { partKey, text, checksum }));
  }
  return row;
}

function insertRow(prepared: (sql: string) => StatementSync, table: Table, row: Row): void {
  if (table === PARTS) {
    const { session_id: _session, sequence: _sequence, ...columns } = row;
    const { lastInsertRowid } = insert(prepared, table, columns);
    const text = searchTextOfBody(String(row['body']));
    if (text !== undefined)
      prepared('INSERT INTO part_search (rowid, text, words) VALUES (?, ?, ?)').run(
        lastInsertRowid,
        text.text,
        text.words,
      );
    return;
  }
  if (table !== PART_CHUNKS) {
    insert(prepared, table, row);
    return;
  }
  const { session_id: sessionId, sequence, part_index: index, text, is_sound: isSound } = row;
  const found = prepared(
    `SELECT parts.key FROM messages JOIN parts ON parts.message_id = messages.id
     WHERE messages.session_id = ? AND messages.sequence = ? AND part_index = ?`,
  ).get(sessionId ?? null, sequence ?? null, index ?? null);
  if (found === undefined) return;
  const chunk = { partKey: Number(found['key']), text: String(text) };
  const checksum = rowChecksum('part_chunks', chunk);
  insert(prepared, table, {
    part_key: chunk.partKey,
    text: chunk.text,
    // A damaged piece stays damaged.
    checksum: isSound === 1 ? checksum : checksum ^ 1,
  });
}

function insert(prepared: (sql: string) => StatementSync, table: Table, row: Row) {
  const names = Object.keys(row);
  const values = names.map((name): SQLInputValue => {
    const value = row[name] ?? null;
    return table.columns[name] === 'packed' && typeof value === 'string' ? packText(value) : value;
  });
  const orIgnore = table.isShared === true ? 'OR IGNORE ' : '';
  return prepared(
    `INSERT ${orIgnore}INTO ${table.name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  ).run(...values);
}

function searchTextOfBody(body: string): ReturnType<typeof searchTextOf> {
  try {
    const part: Part = JSON.parse(body);
    return searchTextOf(part);
  } catch {
    return undefined; // A damaged row: the store reports it when it is loaded.
  }
}
