import { type SQL, sql } from 'drizzle-orm';
import { type FactOptions, isLive, type SessionFacts } from '../../maintenance/session-facts.ts';
import { type Db, rowsOf } from '../connection.ts';
import { fromStoredText } from '../stored-text.ts';

/** Of a row, besides its text. */
const ROW_BYTES = 100;

type FactRow = Record<string, unknown>;

/** Returns the facts of all sessions, or of some, least recently used first. */
export async function readSessionFacts(
  db: Db,
  options: FactOptions,
  sessionIds?: readonly string[],
): Promise<SessionFacts[]> {
  const among = (column: SQL) =>
    sessionIds === undefined
      ? sql`true`
      : sql`${column} IN (SELECT json_array_elements_text(${JSON.stringify(sessionIds)}::text::json))`;
  const rows = await rowsOf<FactRow>(
    db,
    sql`WITH sizes AS (
      SELECT session_id, sum(pg_column_size(body) + coalesce(pg_column_size(search), 0) + ${ROW_BYTES}) AS bytes
        FROM parts WHERE ${among(sql`session_id`)} GROUP BY session_id
      UNION ALL
      SELECT session_id, sum(pg_column_size(payload) + ${ROW_BYTES}) FROM events WHERE ${among(sql`session_id`)} GROUP BY session_id
    )
    SELECT sessions.id, sessions.parent_id, sessions.title, heads.updated_at, heads.expires_at,
      runs.host, runs.boot_id, runs.pid, runs.process_started_at,
      (SELECT count(*) FROM queue WHERE queue.session_id = sessions.id AND queue.state = 'waiting') AS waiting,
      (SELECT coalesce(sum(bytes), 0) FROM sizes WHERE sizes.session_id = sessions.id) AS bytes
    FROM sessions JOIN heads ON heads.session_id = sessions.id LEFT JOIN runs ON runs.run_id = heads.run_id
    WHERE ${among(sql`sessions.id`)}
    ORDER BY heads.updated_at, sessions.id`,
  );
  return rows.map((row) => ({
    id: String(row['id']),
    parentId: row['parent_id'] === null ? undefined : String(row['parent_id']),
    title: fromStoredText(String(row['title'])),
    updatedAt: Number(row['updated_at']),
    bytes: Number(row['bytes']),
    isLeased: row['host'] !== null,
    isLive: isLive(row, options),
    waiting: Number(row['waiting']),
  }));
}

/** Returns a session and its descendants. */
export async function readFamily(db: Db, sessionId: string): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    db,
    sql`WITH RECURSIVE family (id) AS (
      VALUES (${sessionId}::text) UNION SELECT sessions.id FROM sessions JOIN family ON sessions.parent_id = family.id)
    SELECT id FROM family ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}
