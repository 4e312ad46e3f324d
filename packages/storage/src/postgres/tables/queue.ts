import type { LonghaulEvent, QueuedMessage } from '@longhaul/protocol';
import { and, asc, count, eq, min, sql } from 'drizzle-orm';
import { toColumn } from '../../shared/json.ts';
import { moved } from '../../shared/moved.ts';
import { queuedEvent } from '../../shared/queued-event.ts';
import { toQueued } from '../../shared/queued-rows.ts';
import { rowChecksum } from '../../shared/row-checksum.ts';
import { queueFull } from '../../shared/store-errors.ts';
import type { Db } from '../connection.ts';
import type { Head } from '../heads.ts';
import { heads, queue } from '../schema.ts';
import { addEvents, readEvents } from './events.ts';

const ofSession = (sessionId: string, id: string) => and(eq(queue.sessionId, sessionId), eq(queue.id, id));
/** The constant lets PostgreSQL use the index. */
const waiting = (sessionId: string) => and(eq(queue.sessionId, sessionId), sql`${queue.state} = 'waiting'`);

export async function pendingMessages(db: Db, sessionId: string): Promise<number> {
  const [row] = await db.select({ value: count() }).from(queue).where(waiting(sessionId));
  return row?.value ?? 0;
}

export async function listQueue(db: Db, sessionId: string): Promise<QueuedMessage[]> {
  return (await db.select().from(queue).where(waiting(sessionId)).orderBy(asc(queue.key))).map(toQueued);
}

/** The caller must save the head. It is unchanged if the id is already known. */
export async function enqueue(
  db: Db,
  head: Head,
  { message, maxPending, now }: { message: QueuedMessage; maxPending: number; now: number },
): Promise<{ position: number; events: LonghaulEvent[] }> {
  const { sessionId } = head;
  const [known] = await db.select().from(queue).where(ofSession(sessionId, message.id));
  if (known !== undefined) {
    const events = await readEvents(db, sessionId, { after: known.eventNumber - 1, limit: 1 });
    return { position: known.position, events };
  }
  const before = await pendingMessages(db, sessionId);
  if (before >= maxPending) throw queueFull(sessionId, before, maxPending);
  const position = before + 1;
  const events = await addEvents(db, head, { payloads: [queuedEvent(message, position)], now });
  const { id, queuedAt } = message;
  const json = { content: JSON.stringify(message.content), metadata: toColumn(message.metadata) };
  const row = { id, queuedAt, ...json, sessionId, position, eventNumber: head.lastEvent };
  await db.insert(queue).values({ ...row, state: 'waiting', checksum: rowChecksum('queue', row) });
  return { position, events };
}

/** Sessions whose deletion is not complete have no head. */
export async function queuedSessions(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: queue.sessionId })
    .from(queue)
    .innerJoin(heads, eq(heads.sessionId, queue.sessionId))
    .where(sql`${queue.state} = 'waiting'`)
    .groupBy(queue.sessionId)
    .orderBy(asc(min(queue.key)))
    .limit(limit);
  return rows.map(({ id }) => id);
}

export async function editQueued(
  db: Db,
  sessionId: string,
  { id, content }: Pick<QueuedMessage, 'id' | 'content'>,
): Promise<boolean> {
  const one = and(ofSession(sessionId, id), waiting(sessionId));
  const [row] = await db
    .update(queue)
    .set({ content: JSON.stringify(content) })
    .where(one)
    .returning();
  if (row === undefined) return false;
  await db
    .update(queue)
    .set({ checksum: rowChecksum('queue', row) })
    .where(one);
  return true;
}

/** The waiting rows exchange their keys, which are their order. */
export async function moveQueued(
  db: Db,
  sessionId: string,
  { id, position }: { id: string; position: number },
): Promise<boolean> {
  const rows = await db
    .select({ key: queue.key, id: queue.id })
    .from(queue)
    .where(waiting(sessionId))
    .orderBy(asc(queue.key));
  const order = moved(rows, (row) => row.id === id, position);
  if (order === undefined) return false;
  const setKey = (from: number, key: number) => db.update(queue).set({ key }).where(eq(queue.key, from));
  const changes = order.flatMap(({ key: from }, index) => {
    const to = rows[index]?.key ?? from;
    return from === to ? [] : [{ from, to }];
  });
  // A key is unique at every moment.
  for (const { from } of changes) await setKey(from, -from);
  for (const { from, to } of changes) await setKey(-from, to);
  return true;
}

export async function removeQueued(db: Db, sessionId: string, id: string): Promise<boolean> {
  const one = and(ofSession(sessionId, id), waiting(sessionId));
  const removed = await db.update(queue).set({ state: 'removed' }).where(one).returning({ id: queue.id });
  return removed.length > 0;
}

/** Returns the number of messages that no longer wait. */
export async function emptyQueue(db: Db, sessionId: string, state: 'taken' | 'removed'): Promise<number> {
  const rows = await db.update(queue).set({ state }).where(waiting(sessionId)).returning({ id: queue.id });
  return rows.length;
}
