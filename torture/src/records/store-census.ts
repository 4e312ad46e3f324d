import { DatabaseSync } from 'node:sqlite';

/** A session that the program shows. */
export interface ListedSession {
  id: string;
  title: string;
  lastSequence: number;
}

/** Lists the sessions of a database that can be seen, read without the code that wrote them. */
export function listSessions(path: string): ListedSession[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    return database
      .prepare('SELECT id, title, last_sequence FROM sessions JOIN heads ON heads.session_id = sessions.id')
      .all()
      .map((row) => ({
        id: String(row['id']),
        title: String(row['title']),
        lastSequence: Number(row['last_sequence']),
      }));
  } finally {
    database.close();
  }
}

const OWNED = ['messages', 'marks', 'compactions', 'events', 'queue', 'runs'];

/** Describes rows that belong to no session that can be seen. */
export function listRests(path: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const count = (table: string, column: string) =>
    Number(
      database
        .prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} NOT IN (SELECT session_id FROM heads)`)
        .get()?.['n'],
    );
  try {
    const rests = [
      ['sessions', count('sessions', 'id')] as const,
      ...OWNED.map((table) => [table, count(table, 'session_id')] as const),
    ];
    return rests.flatMap(([table, n]) => (n === 0 ? [] : [`${n} rows of ${table}`]));
  } finally {
    database.close();
  }
}

/** Makes sessions look as if they had last been used long ago. Without ids: the rests of sessions. */
export function ageSessions(path: string, ids: readonly string[]): void {
  const database = new DatabaseSync(path, { timeout: 10_000 });
  const yearMs = 365 * 24 * 3_600_000;
  try {
    database.exec('BEGIN IMMEDIATE');
    const head = database.prepare('UPDATE heads SET updated_at = updated_at - ? WHERE session_id = ?');
    for (const id of ids) head.run(yearMs, id);
    database
      .prepare(
        'UPDATE sessions SET created_at = created_at - ? WHERE id NOT IN (SELECT session_id FROM heads)',
      )
      .run(yearMs);
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}
