import { sql } from 'drizzle-orm';
import type { MessageIds } from '../shared/hidden-messages.ts';
import type { Drizzle } from './connection.ts';

/** Uses a plain statement that returns arrays, because a long session has tens of thousands of messages. */
export function readMessageIds(db: Drizzle, sessionId: string): MessageIds {
  const rows = db.values<[string, number]>(
    sql`SELECT id, sequence FROM messages WHERE session_id = ${sessionId} ORDER BY sequence`,
  );
  return { ids: rows.map(([id]) => id), sequences: rows.map(([, sequence]) => sequence) };
}
