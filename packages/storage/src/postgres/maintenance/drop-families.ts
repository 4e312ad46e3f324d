import { asc, inArray, sql } from 'drizzle-orm';
import { familyFacts } from '../../maintenance/family-facts.ts';
import { reasonToKeep } from '../../maintenance/retention.ts';
import type { FactOptions } from '../../maintenance/session-facts.ts';
import { type Connection, type Db, rowsOf } from '../connection.ts';
import { heads, sessions } from '../schema.ts';
import { dropRest } from '../tables/drop-session.ts';
import { writeTransaction } from '../transactions.ts';
import { readFamily, readSessionFacts } from './session-facts.ts';

type Place = Pick<Connection, 'db'> & { address: string };

/**
 * Makes a session and its descendants invisible, in one transaction, unless there is a reason to keep them. Returns their
 * ids. `dropUnfinished` then deletes their rows.
 */
export function closeFamily(place: Place, sessionId: string, options: FactOptions): Promise<string[]> {
  return writeTransaction(place, async (db) => {
    const ids = await readFamily(db, sessionId);
    const isOne = inArray(heads.sessionId, ids);
    await db
      .select({ id: heads.sessionId })
      .from(heads)
      .where(isOne)
      .orderBy(asc(heads.sessionId))
      .for('update');
    const facts = await readSessionFacts(db, options, ids);
    const family = familyFacts(facts).find(({ members }) => members.includes(sessionId));
    if (family === undefined || reasonToKeep(family, options.now()) !== undefined) return [];
    const { members } = family;
    await db
      .update(sessions)
      .set({ status: 'unfinished', checksum: null })
      .where(inArray(sessions.id, members));
    await db.delete(heads).where(inArray(heads.sessionId, members));
    return members;
  });
}

/** Deletes the rows of sessions without a head. */
export async function dropRests(place: Place, ids: Iterable<string>): Promise<void> {
  for (const id of ids) await writeTransaction(place, (db) => dropRest(db, id));
}

/** Returns sessions without a head that were begun before a time: killed programs were copying or deleting them. */
export async function readHeadless(db: Db, before: number): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    db,
    sql`SELECT id FROM sessions WHERE created_at < ${before}::bigint
      AND NOT EXISTS (SELECT FROM heads WHERE heads.session_id = sessions.id)`,
  );
  return rows.map(({ id }) => id);
}
