import type { DatabaseSync } from 'node:sqlite';
import { BLOB_COLUMNS } from '../shared/blob-columns.ts';
import { unpackText } from '../shared/packed-text.ts';
import { hasColumn } from './open-file.ts';

/**
 * Returns the blobs that a database references, each with the sessions that reference it (`''`: no session). Any text
 * that looks like a reference counts as one. All columns are read in one transaction; otherwise a session that is
 * copied and then deleted could be missed.
 */
export function namedBlobs(database: DatabaseSync): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  database.exec('BEGIN');
  try {
    for (const { table, column, session, ...rest } of BLOB_COLUMNS) {
      // A database of an older version has fewer tables.
      if (!hasColumn(database, table, column)) continue;
      const rows = database.prepare(
        `SELECT ${session} AS session, ${table}.${column} AS text FROM ${table} ${'join' in rest ? rest.join : ''}
         WHERE typeof(${table}.${column}) = 'blob' OR instr(${table}.${column}, '@blob:') > 0`,
      );
      for (const row of rows.iterate())
        addNames(names, unpackText(row['text']), String(row['session'] ?? ''));
    }
    forgetDeleted(database, names);
    return names;
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

/** Leaves out full outputs that a session has deleted to make room. Their parts still contain the reference. */
function forgetDeleted(database: DatabaseSync, names: Map<string, Set<string>>): void {
  if (!hasColumn(database, 'outputs', 'deleted_at')) return;
  const rows = database.prepare(
    'SELECT session_id, blob_id FROM outputs GROUP BY session_id, blob_id HAVING count(*) = count(deleted_at)',
  );
  for (const { session_id, blob_id } of rows.iterate()) {
    const id = String(blob_id);
    names.get(id)?.delete(String(session_id));
    if (names.get(id)?.size === 0) names.delete(id);
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
