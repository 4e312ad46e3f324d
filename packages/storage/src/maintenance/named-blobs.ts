import type { DatabaseSync } from 'node:sqlite';
import { unpackText } from '../shared/packed-text.ts';
import { hasColumn } from './open-file.ts';

/** Every column that may contain `@blob:` references, and the expression for its session id. */
const COLUMNS = [
  {
    table: 'parts',
    column: 'body',
    session: 'messages.session_id',
    join: 'LEFT JOIN messages ON messages.id = parts.message_id',
  },
  { table: 'messages', column: 'metadata', session: 'session_id' },
  { table: 'queue', column: 'content', session: 'session_id' },
  { table: 'queue', column: 'metadata', session: 'session_id' },
  { table: 'compactions', column: 'summary_content', session: 'session_id' },
  { table: 'marks', column: 'body', session: 'session_id' },
  { table: 'approvals', column: 'args', session: 'session_id' },
  { table: 'sessions', column: 'metadata', session: 'id' },
  { table: 'settings', column: 'value', session: "''" },
  { table: 'cache', column: 'value', session: "''" },
] as const;

/**
 * Returns the blobs that a database references, each with the sessions that reference it (`''`: no session). Any text
 * that looks like a reference counts as one. All columns are read in one transaction; otherwise a session that is
 * copied and then deleted could be missed.
 */
export function namedBlobs(database: DatabaseSync): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  database.exec('BEGIN');
  try {
    for (const { table, column, session, ...rest } of COLUMNS) {
      // A database of an older version has fewer tables.
      if (!hasColumn(database, table, column)) continue;
      const rows = database.prepare(
        `SELECT ${session} AS session, ${table}.${column} AS text FROM ${table} ${'join' in rest ? rest.join : ''}
         WHERE typeof(${table}.${column}) = 'blob' OR instr(${table}.${column}, '@blob:') > 0`,
      );
      for (const row of rows.iterate())
        addNames(names, unpackText(row['text']), String(row['session'] ?? ''));
    }
    return names;
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

function addNames(names: Map<string, Set<string>>, text: string, session: string): void {
  for (const id of blobsIn(text)) {
    const known = names.get(id);
    if (known === undefined) names.set(id, new Set([session]));
    else known.add(session);
  }
}

/** Returns the ids of the blobs that a text references. */
export function blobsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/@blob:([0-9a-f]{64})/g)].map(([, id = '']) => id));
}
