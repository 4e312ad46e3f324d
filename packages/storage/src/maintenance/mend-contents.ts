import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { handleOf, type Part } from '@longhaul/protocol';
import type { FoundDamage } from '../shared/damaged-rows.ts';
import { LOST_TEXT, lostEvent, lostMessage, lostPart } from '../shared/lost-content.ts';
import { CHECKED_COLUMNS, type CheckedTable, KEY_COLUMNS, rowChecksumOf } from '../shared/row-checksum.ts';
import { lostRows } from './lost-rows.ts';
import { hasColumn } from './open-file.ts';

/**
 * Replaces contents that do not match their checksum by a line that says so, and removes damaged marks, settings and
 * cache entries. Returns the damaged rows. A row keeps its old checksum until `sealRows`.
 */
export async function mendContents(database: DatabaseSync): Promise<FoundDamage[]> {
  const damaged = await lostRows(database);
  for (const { table, id } of damaged) MEND[table]?.(database, id);
  return damaged;
}

/** Gives every row the checksum of its present content, also rows that an older version wrote. */
export function sealRows(database: DatabaseSync): void {
  for (const table of Object.keys(CHECKED_COLUMNS) as CheckedTable[]) {
    if (!hasColumn(database, table, 'checksum')) return;
    const keys = KEY_COLUMNS[table] ?? ['rowid'];
    const columns = Object.entries(CHECKED_COLUMNS[table]).map(([name, column]) => `${column} AS "${name}"`);
    const rows = database.prepare(
      `SELECT ${keys.map((name, index) => `${name} AS "-${index}-"`).join(', ')}, ${columns.join(', ')}, checksum FROM ${table}`,
    );
    const seal = database.prepare(
      `UPDATE ${table} SET checksum = ? WHERE ${keys.map((name) => `${name} = ?`).join(' AND ')}`,
    );
    rows.setReadBigInts(true);
    for (const row of rows.all()) {
      const checksum = rowChecksumOf(table, row);
      if (Number(row['checksum'] ?? Number.NaN) !== checksum)
        seal.run(checksum, ...keys.map((_, index) => row[`-${index}-`] ?? null));
    }
  }
}

const MEND: Readonly<Record<string, (database: DatabaseSync, id: string) => void>> = {
  parts(database, id) {
    const [messageId, index] = split(id);
    const row = database
      .prepare(
        `SELECT sequence, type FROM parts LEFT JOIN messages ON messages.id = message_id WHERE message_id = ? AND part_index = ?`,
      )
      .get(messageId, index);
    const part = lostPart(handleOf(Number(row?.['sequence'] ?? 0), Number(index)), String(row?.['type']));
    replacePart(database, part, [messageId, index]);
  },
  part_chunks(database, id) {
    database
      .prepare(
        'UPDATE part_chunks SET text = ? WHERE part_key = (SELECT key FROM parts WHERE message_id = ? AND part_index = ?)',
      )
      .run(LOST_TEXT, ...split(id));
  },
  messages(database, id) {
    run(
      database,
      `UPDATE messages SET
         created_at = CASE WHEN abs(created_at) < 1e15 THEN created_at ELSE 0 END,
         token_count = CASE WHEN token_count BETWEEN 0 AND 1e12 THEN token_count ELSE 0 END,
         sequence = CASE WHEN sequence BETWEEN 1 AND 1e12 THEN sequence
           ELSE (SELECT coalesce(max(other.sequence), 0) + 1 FROM messages AS other
             WHERE other.session_id = messages.session_id AND other.sequence <= 1e12) END,
         role = CASE WHEN role IN ('user', 'assistant') THEN role WHEN length(role) < 6 THEN 'user' ELSE 'assistant' END,
         status = CASE WHEN status IN ('running', 'done', 'failed', 'interrupted') THEN status ELSE 'interrupted' END,
         usage = CASE WHEN json_valid(usage) THEN usage END,
         metadata = CASE WHEN json_valid(metadata) THEN metadata END WHERE id = ?`,
      id,
    );
  },
  sessions(database, id) {
    run(
      database,
      'UPDATE sessions SET metadata = CASE WHEN json_valid(metadata) THEN metadata END WHERE id = ?',
      id,
    );
  },
  marks: (database, id) => run(database, 'DELETE FROM marks WHERE id = ?', id),
  compactions: (database, id) => run(database, 'DELETE FROM marks WHERE id = ?', id),
  queue: (database, id) =>
    run(
      database,
      'UPDATE queue SET metadata = NULL, content = ? WHERE id = ?',
      JSON.stringify(lostMessage()),
      id,
    ),
  events(database, id) {
    const [session, number] = split(id);
    const event = lostEvent(Number(number));
    run(
      database,
      'UPDATE events SET type = ?, payload = ? WHERE session_id = ? AND number = ?',
      event.type,
      JSON.stringify(event),
      session,
      number,
    );
  },
  checkpoints: (database, id) => run(database, 'DELETE FROM checkpoints WHERE session_id = ?', id),
  settings: (database, id) => run(database, 'DELETE FROM settings WHERE key = ?', id),
  cache: (database, id) => run(database, 'DELETE FROM cache WHERE key = ?', id),
};

function replacePart(
  database: DatabaseSync,
  part: Part,
  [messageId, index]: readonly [SQLInputValue, SQLInputValue],
): void {
  run(
    database,
    'UPDATE parts SET type = ?, state = NULL, body = ? WHERE message_id = ? AND part_index = ?',
    part.type,
    JSON.stringify(part),
    messageId,
    index,
  );
}

function split(id: string): [string, string] {
  const at = id.lastIndexOf('/');
  return [id.slice(0, at), id.slice(at + 1)];
}

function run(database: DatabaseSync, sql: string, ...values: SQLInputValue[]): void {
  database.prepare(sql).run(...values);
}
