import type { DatabaseSync } from 'node:sqlite';
import { BLOB_COLUMNS } from '../shared/blob-columns.ts';
import { unpackText } from '../shared/packed-text.ts';
import { hasColumn } from './open-file.ts';

/** What a database references, each with the sessions that reference it (`''`: no session). */
export interface NamedBlobs {
  /** By the id of the blob. */
  blobs: Map<string, Set<string>>;
  /** By the id of the tree's root blob. The blobs that a tree needs are not in `blobs`. */
  trees: Map<string, NamedTree>;
}

export interface NamedTree {
  sessions: Set<string>;
  /**
   * Recorded here. False: only a text that looks like a reference, or a session that was imported without its files.
   */
  isRecord: boolean;
}

/**
 * Returns the blobs and trees that a database references. Any text that looks like a reference counts as one. All
 * columns are read in one transaction; otherwise a session that is copied and then deleted could be missed.
 */
export function namedBlobs(database: DatabaseSync): NamedBlobs {
  const names: NamedBlobs = { blobs: new Map(), trees: new Map() };
  database.exec('BEGIN');
  try {
    const withoutFiles = importedWithoutFiles(database);
    for (const { table, column, session, ...rest } of BLOB_COLUMNS) {
      // A database of an older version has fewer tables.
      if (!hasColumn(database, table, column)) continue;
      const text = `${table}.${column}`;
      const rows = database.prepare(
        `SELECT ${session} AS session, ${text} AS text, ${'isRecord' in rest ? rest.isRecord : '0'} AS record
         FROM ${table} ${'join' in rest ? rest.join : ''}
         WHERE typeof(${text}) = 'blob' OR instr(${text}, '@blob:') > 0 OR instr(${text}, '@tree:') > 0`,
      );
      for (const row of rows.iterate()) {
        const owner = String(row['session'] ?? '');
        const isRecord = row['record'] === 1 && !withoutFiles.has(owner);
        addNames(names, unpackText(row['text']), { session: owner, isRecord });
      }
    }
    forgetDeleted(database, names.blobs);
    return names;
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

/** Returns the sessions that never had their files here, and the copies of these sessions. */
function importedWithoutFiles(database: DatabaseSync): Set<string> {
  const rows = database.prepare(
    `SELECT id FROM sessions WHERE json_valid(metadata) AND json_extract(metadata, '$.imported.withoutFiles') = 1`,
  );
  return new Set(rows.all().map(({ id }) => String(id)));
}

/** Leaves out full outputs that a session has deleted to make room. Their parts still contain the reference. */
function forgetDeleted(database: DatabaseSync, names: Map<string, Set<string>>): void {
  if (!hasColumn(database, 'outputs', 'deleted_at')) return;
  const rows = database.prepare(
    'SELECT session_id, blob_id FROM outputs GROUP BY session_id, blob_id HAVING count(*) = count(deleted_at)',
  );
  for (const { session_id, blob_id } of rows.iterate())
    forgetName(names, String(blob_id), String(session_id));
}

function addNames(names: NamedBlobs, text: string, of: { session: string; isRecord: boolean }): void {
  for (const id of blobsIn(text)) addName(names, 'blobs', { ...of, id });
  for (const id of treesIn(text)) addName(names, 'trees', { ...of, id });
}

/** Adds a reference of a session to a blob or a tree. */
export function addName(
  { blobs, trees }: NamedBlobs,
  kind: keyof NamedBlobs,
  { id, session, isRecord }: { id: string; session: string; isRecord: boolean },
): void {
  if (kind === 'blobs') {
    addSession(blobs, id, session);
    return;
  }
  const known = trees.get(id);
  if (known === undefined) trees.set(id, { sessions: new Set([session]), isRecord });
  else {
    known.sessions.add(session);
    known.isRecord ||= isRecord;
  }
}

/** Takes back that a session references a blob. */
export function forgetName(names: Map<string, Set<string>>, id: string, session: string): void {
  names.get(id)?.delete(session);
  if (names.get(id)?.size === 0) names.delete(id);
}

export function addSession(names: Map<string, Set<string>>, id: string, session: string): void {
  const known = names.get(id);
  if (known === undefined) names.set(id, new Set([session]));
  else known.add(session);
}

/** Returns the ids of the blobs that a text references. */
export function blobsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/@blob:([0-9a-f]{64})/g)].map(([, id = '']) => id));
}

/** Returns the ids of the trees that a text references. */
function treesIn(text: string): Set<string> {
  return new Set([...text.matchAll(/@tree:([0-9a-f]{64})/g)].map(([, id = '']) => id));
}
