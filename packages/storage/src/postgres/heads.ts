import type { Lease } from '@longhaul/core';
import { eq, getColumns, sql } from 'drizzle-orm';
import { leaseLost, sessionNotFound } from '../shared/store-errors.ts';
import type { Db } from './connection.ts';
import { heads } from './schema.ts';

/** A session's counters and lease. Code that changes a head must `saveHead` in the same transaction. */
export type Head = typeof heads.$inferSelect;

/** The server's clock, in milliseconds since 1970. */
export const SERVER_CLOCK = sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`.mapWith(
  Number,
);

/** @throws {LonghaulError} `session_not_found` */
export async function readHead(db: Db, sessionId: string): Promise<TimedHead> {
  return timed(await select(db, sessionId), sessionId);
}

/** A head, and the server's time when it was read. */
export interface TimedHead {
  head: Head;
  now: number;
}

/**
 * Locks the head until the transaction ends. So no other program writes to the session in between.
 *
 * @throws {LonghaulError} `session_not_found`
 */
export async function lockHead(db: Db, sessionId: string): Promise<TimedHead> {
  return timed(await select(db, sessionId).for('update'), sessionId);
}

function select(db: Db, sessionId: string) {
  return db
    .select({ ...getColumns(heads), now: SERVER_CLOCK })
    .from(heads)
    .where(eq(heads.sessionId, sessionId));
}

function timed([row]: (Head & { now: number })[], sessionId: string): TimedHead {
  if (row === undefined) throw sessionNotFound(sessionId);
  const { now, ...head } = row;
  return { head, now };
}

/** @throws {LonghaulError} `lease_lost` */
export function assertHeld(head: Head, lease: Lease): void {
  if (head.epoch !== lease.epoch || head.runId !== lease.runId) throw leaseLost(lease.sessionId, lease.runId);
}

/** The caller has locked the head. */
export async function saveHead(db: Db, head: Head, now: number): Promise<void> {
  head.updatedAt = Math.max(head.updatedAt, now);
  const { sessionId, ...columns } = head;
  await db.update(heads).set(columns).where(eq(heads.sessionId, sessionId));
}
