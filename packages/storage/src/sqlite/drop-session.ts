import { and, eq, gte, lt, sql } from 'drizzle-orm';
import type { Drizzle } from './connection.ts';
import { inPieces } from './in-pieces.ts';
import { sessions, settings } from './schema.ts';
import type { TransactionQueue } from './transaction-queue.ts';

const MESSAGES_AT_ONCE = 1000;

/**
 * Deletes the rows of a session without a head, which no query returns. Works in pieces, so that other writers wait for
 * at most a tenth of a second, even for a long session.
 */
export async function dropRest(
  { db, write }: { db: Drizzle } & Pick<TransactionQueue, 'write'>,
  sessionId: string,
): Promise<void> {
  await inPieces(write, (dropped) => {
    const rows = db.all<{ id: string }>(sql`
      DELETE FROM messages WHERE rowid IN
        (SELECT rowid FROM messages WHERE session_id = ${sessionId} LIMIT ${MESSAGES_AT_ONCE})
      RETURNING id`);
    return rows.length === 0 ? undefined : dropped + rows.length;
  });
  await write(() => {
    const isItsOwn = and(
      gte(settings.key, `session:${sessionId}:`),
      lt(settings.key, `session:${sessionId};`),
    );
    db.delete(settings).where(isItsOwn).run();
    db.delete(sessions).where(eq(sessions.id, sessionId)).run();
  });
}
