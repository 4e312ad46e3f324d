import { and, eq, gte, lt } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Db } from '../connection.ts';
import {
  approvals,
  cancels,
  checkpoints,
  compactions,
  events,
  heads,
  marks,
  messages,
  outputs,
  partChunks,
  parts,
  processes,
  queue,
  runs,
  sessions,
  settings,
} from '../schema.ts';

const OF_SESSION: readonly (PgTable & { sessionId: PgColumn })[] = [
  partChunks,
  parts,
  messages,
  compactions,
  marks,
  events,
  checkpoints,
  queue,
  approvals,
  outputs,
  processes,
  cancels,
  runs,
];

/** Deletes the rows of a session without a head, which no query returns. */
export async function dropRest(db: Db, sessionId: string): Promise<void> {
  const [head] = await db.select({ id: heads.sessionId }).from(heads).where(eq(heads.sessionId, sessionId));
  if (head !== undefined) return;
  for (const table of OF_SESSION) await db.delete(table).where(eq(table.sessionId, sessionId));
  const isItsOwn = and(gte(settings.key, `session:${sessionId}:`), lt(settings.key, `session:${sessionId};`));
  await db.delete(settings).where(isItsOwn);
  await db.delete(sessions).where(eq(sessions.id, sessionId));
}
