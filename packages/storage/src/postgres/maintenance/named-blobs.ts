import { sql } from 'drizzle-orm';
import { addName, forgetName, type NamedBlobs } from '../../maintenance/named-blobs.ts';
import { BLOB_COLUMNS } from '../../shared/blob-columns.ts';
import { type Db, rowsOf } from '../connection.ts';

type Column = (typeof BLOB_COLUMNS)[number];
type NameRow = { session: string; kind: string; id: string; record: boolean };

/** The session of a row, where its expression differs from that of SQLite. */
const SESSIONS: Readonly<Partial<Record<Column['table'], string>>> = {
  parts: 'session_id',
  settings: `CASE WHEN key LIKE 'session:%:%' THEN split_part(key, ':', 2) ELSE '' END`,
};
const RECORDS: Readonly<Partial<Record<Column['table'], string>>> = {
  parts: `type = 'patch'`,
  marks: `kind = 'revert'`,
  settings: `key LIKE 'session:%:%'`,
};

/**
 * Returns the blobs and trees that the database references. The caller reads one snapshot; otherwise a session that is
 * copied and then deleted could be missed. The server finds the references, so that no text leaves it.
 */
export async function readNamedBlobs(db: Db): Promise<NamedBlobs> {
  const names: NamedBlobs = { blobs: new Map(), trees: new Map() };
  const withoutFiles = await importedWithoutFiles(db);
  for (const { table, column, session } of BLOB_COLUMNS) {
    if (table === 'cache') continue;
    const text = sql.identifier(column);
    const rows = await rowsOf<NameRow>(
      db,
      sql`SELECT DISTINCT ${sql.raw(SESSIONS[table] ?? session)} AS session, name[1] AS kind, name[2] AS id,
        ${sql.raw(RECORDS[table] ?? 'false')} AS record
      FROM ${sql.identifier(table)} CROSS JOIN LATERAL regexp_matches(${text}, '@(blob|tree):([0-9a-f]{64})', 'g') AS name
      WHERE ${text} LIKE '%@blob:%' OR ${text} LIKE '%@tree:%'`,
    );
    for (const row of rows) {
      const isRecord = row.record && !withoutFiles.has(row.session);
      addName(names, row.kind === 'tree' ? 'trees' : 'blobs', { id: row.id, session: row.session, isRecord });
    }
  }
  await forgetDeleted(db, names);
  return names;
}

/** Returns the sessions that never had their files here. PostgreSQL refuses to read some JSON, so it compares text. */
async function importedWithoutFiles(db: Db): Promise<Set<string>> {
  const rows = await rowsOf<{ id: string }>(
    db,
    sql`SELECT id FROM sessions WHERE metadata LIKE '%"withoutFiles":true%'`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Leaves out full outputs that a session has deleted to make room. Their parts still contain the reference. */
async function forgetDeleted(db: Db, { blobs }: NamedBlobs): Promise<void> {
  const rows = await rowsOf<{ session: string; blob: string }>(
    db,
    sql`SELECT session_id AS session, blob_id AS blob FROM outputs
      GROUP BY session_id, blob_id HAVING count(*) = count(deleted_at)`,
  );
  for (const { session, blob } of rows) forgetName(blobs, blob, session);
}
