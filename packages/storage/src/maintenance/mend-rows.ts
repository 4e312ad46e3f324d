import type { DatabaseSync } from 'node:sqlite';
import { handleOf, type Part } from '@longhaul/protocol';
import type { FoundDamage } from '../shared/damaged-rows.ts';
import { lostPart } from '../shared/lost-content.ts';
import { unpackText } from '../shared/packed-text.ts';
import { searchTextOf } from '../shared/search-text.ts';
import { numberOf } from './open-file.ts';

/**
 * Makes the salvaged rows consistent: adds missing session and head rows, fixes counters, fills holes and builds the
 * search index. Returns the missing messages and parts whose places are known.
 */
export function mendRows(database: DatabaseSync): FoundDamage[] {
  dropUnfinished(database);
  nameSessions(database);
  mendHeads(database);
  const missing = [...missingMessages(database), ...fillHoles(database)];
  indexParts(database);
  return missing;
}

/** Removes what killed programs left of copies, imports and deletions, so that none of it becomes visible. */
function dropUnfinished(database: DatabaseSync): void {
  const unfinished = `SELECT id FROM sessions WHERE status = 'unfinished'`;
  database.exec(`
    DELETE FROM parts WHERE message_id IN (SELECT id FROM messages WHERE session_id IN (${unfinished}));
    DELETE FROM compactions WHERE session_id IN (${unfinished});
    DELETE FROM marks WHERE session_id IN (${unfinished});
    DELETE FROM messages WHERE session_id IN (${unfinished});
    DELETE FROM events WHERE session_id IN (${unfinished});
    DELETE FROM sessions WHERE status = 'unfinished'`);
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
function fillHoles(database: DatabaseSync): FoundDamage[] {
  const holes = database
    .prepare(
      `SELECT message_id, session_id, sequence, max(part_index) AS last, count(*) AS parts
       FROM parts JOIN messages ON messages.id = message_id GROUP BY message_id HAVING parts <= last`,
    )
    .all();
  const missing: FoundDamage[] = [];
  const insert = database.prepare(
    `INSERT OR IGNORE INTO parts (message_id, part_index, type, body) VALUES (?, ?, 'notice', ?)`,
  );
  for (const { message_id, session_id, sequence, last } of holes) {
    const id = String(message_id);
    for (let index = 0; index < Number(last); index++) {
      const handle = handleOf(Number(sequence), index);
      const { changes } = insert.run(id, index, JSON.stringify(lostPart(handle)));
      if (changes > 0)
        missing.push({
          table: 'parts',
          id: `${id}/${index}`,
          handle,
          reason: LOST,
          sessionId: String(session_id),
        });
    }
  }
  return missing;
}

const LOST = 'its row is lost';

/** Messages have no gaps in their sequences. */
function missingMessages(database: DatabaseSync): FoundDamage[] {
  const gaps = database
    .prepare(
      `SELECT session_id, before + 1 AS first, sequence - 1 AS last FROM (
         SELECT session_id, sequence, lag(sequence, 1, 0) OVER (PARTITION BY session_id ORDER BY sequence) AS before FROM messages
         UNION ALL
         SELECT session_id, last_sequence + 1, coalesce((SELECT max(sequence) FROM messages WHERE messages.session_id = heads.session_id), 0)
         FROM heads
       ) WHERE sequence > before + 1`,
    )
    .all();
  return gaps.map(({ session_id, first, last }) => {
    const handle =
      first === last ? handleOf(Number(first)) : `${handleOf(Number(first))}–${handleOf(Number(last))}`;
    return { table: 'messages', id: handle, handle, reason: LOST, sessionId: String(session_id) };
  });
}

function indexParts(database: DatabaseSync): void {
  const insert = database.prepare('INSERT INTO part_search (rowid, text, words) VALUES (?, ?, ?)');
  for (const { key, body } of database.prepare('SELECT key, body FROM parts').iterate()) {
    const text = textOf(unpackText(body));
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
