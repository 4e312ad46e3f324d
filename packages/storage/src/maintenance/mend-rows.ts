import type { DatabaseSync } from 'node:sqlite';
import type { Part } from '@longhaul/protocol';
import { searchTextOf } from '../shared/search-text.ts';
import { numberOf } from './open-file.ts';

/**
 * Makes the salvaged rows consistent: adds missing session and head rows, fixes counters, fills holes and builds the
 * search index.
 */
export function mendRows(database: DatabaseSync): void {
  nameSessions(database);
  mendHeads(database);
  fillHoles(database);
  indexParts(database);
}

/** Adds a row for each session whose own row was lost but whose messages were not. */
function nameSessions(database: DatabaseSync): void {
  database.exec(`
    INSERT INTO sessions (id, created_at, status, task, title, model, workspace)
    SELECT session_id, min(created_at), 'failed', '', 'Recovered session', coalesce(max(model), ''), '/'
    FROM messages WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id`);
}

function mendHeads(database: DatabaseSync): void {
  const most = (column: string, table: string) =>
    `coalesce((SELECT max(${column}) FROM ${table} WHERE ${table}.session_id = heads.session_id), 0)`;
  database.exec(`
    INSERT INTO heads (session_id, updated_at, last_sequence, last_event, epoch)
    SELECT id, created_at, 0, 0, 0 FROM sessions WHERE id NOT IN (SELECT session_id FROM heads);
    UPDATE heads SET
      last_sequence = max(last_sequence, ${most('sequence', 'messages')}),
      last_event = max(last_event, ${most('number', 'events')}),
      epoch = max(epoch, ${most('epoch', 'runs')}),
      updated_at = max(updated_at, ${most('created_at', 'messages')}),
      run_id = CASE WHEN run_id IN (SELECT run_id FROM runs) THEN run_id END`);
}

/** Puts a notice in place of each lost part, because marks and handles refer to parts by index. */
function fillHoles(database: DatabaseSync): void {
  const holes = database
    .prepare(
      'SELECT message_id, max(part_index) AS last, count(*) AS parts FROM parts GROUP BY message_id HAVING parts <= last',
    )
    .all();
  const insert = database.prepare(
    `INSERT OR IGNORE INTO parts (message_id, part_index, type, body) VALUES (?, ?, 'notice', ?)`,
  );
  const remark: Part = {
    type: 'notice',
    text: '[A part of this message could not be read.]',
    forModel: true,
  };
  for (const { message_id, last } of holes) {
    for (let index = 0; index < Number(last); index++)
      insert.run(String(message_id), index, JSON.stringify(remark));
  }
}

function indexParts(database: DatabaseSync): void {
  const insert = database.prepare('INSERT INTO part_search (rowid, text, words) VALUES (?, ?, ?)');
  for (const { key, body } of database.prepare('SELECT key, body FROM parts').iterate()) {
    const text = textOf(String(body));
    if (text !== undefined) insert.run(key ?? null, text.text, text.words);
  }
}

function textOf(body: string): ReturnType<typeof searchTextOf> {
  try {
    const part: Part = JSON.parse(body);
    return searchTextOf(part);
  } catch {
    return undefined; // A damaged row: the store reports it when it is loaded.
  }
}

/** Deletes rows whose parent row was lost, until none is left. Returns the number of deleted rows by table. */
export function dropOrphans(database: DatabaseSync, tables: readonly string[]): Map<string, number> {
  const dropped = new Map<string, number>();
  for (let again = true; again; ) {
    again = false;
    for (const table of tables) {
      for (const { table: parent, from, to } of database
        .prepare('SELECT * FROM pragma_foreign_key_list(?)')
        .all(table)) {
        database.exec(
          `DELETE FROM "${table}" WHERE "${from}" IS NOT NULL AND "${from}" NOT IN (SELECT "${to}" FROM "${parent}")`,
        );
        const count = numberOf(database, 'SELECT changes()');
        if (count === 0) continue;
        dropped.set(table, (dropped.get(table) ?? 0) + count);
        again = true;
      }
    }
  }
  return dropped;
}
