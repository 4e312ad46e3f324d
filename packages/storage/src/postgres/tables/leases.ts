import type { Claimant, Lease, LeaseHolder, RunRecord } from '@longhaul/core';
import type { RunStatus } from '@longhaul/protocol';
import { and, asc, desc, eq, getColumns, isNull, or, sql } from 'drizzle-orm';
import { type Clock, expiryAfter, isHeld } from '../../shared/clock.ts';
import { type AcquireOptions, ownerOf, type RunRow, toRunRecord } from '../../shared/run-rows.ts';
import { idTaken, sessionBusy } from '../../shared/store-errors.ts';
import { type Db, rowsOf } from '../connection.ts';
import type { Head } from '../heads.ts';
import { heads, runs } from '../schema.ts';
import type { ServerClock } from '../server-clock.ts';
import { TIMELINE } from '../transactions.ts';

/** The first epoch of a server's second timeline. Epochs stay below the largest number that is exact. */
const EPOCHS_OF_TIMELINE = 2 ** 32;

async function runOf(db: Db, runId: string): Promise<(RunRow & { address: string | null }) | undefined> {
  const [row] = await db.select().from(runs).where(eq(runs.runId, runId));
  return row;
}

export async function readHolder(
  db: Db,
  head: Head,
  { claimant, clock }: { claimant?: Claimant | undefined; clock: Clock },
): Promise<LeaseHolder | undefined> {
  const row = head.runId === null ? undefined : await runOf(db, head.runId);
  if (row === undefined) return undefined;
  const { expiresAt, expiresUptime } = head;
  const owner = ownerOf(row);
  const expiry = { expiresAt: expiresAt ?? 0, expiresUptime: expiresUptime ?? 0 };
  if (claimant !== undefined && !isHeld({ owner, ...expiry }, claimant, clock)) return undefined;
  const holder = { runId: row.runId, epoch: row.epoch, owner, expiresAt: expiry.expiresAt };
  return row.address === null ? holder : { ...holder, address: row.address };
}

/** Changes the head. The caller must save it. */
export async function endRun(
  db: Db,
  head: Head,
  { status, now }: { status: RunStatus; now: number },
): Promise<void> {
  if (head.runId === null) return;
  const endedAt = Math.max(head.updatedAt, now);
  await db.update(runs).set({ endedAt, status }).where(eq(runs.runId, head.runId));
  Object.assign(head, { runId: null, expiresAt: null, expiresUptime: null });
}

/** Changes the head. The caller must save it. */
export async function acquire(
  db: Db,
  head: Head,
  {
    runId,
    ttlMs,
    clock,
    address,
    ...claimant
  }: AcquireOptions & { clock: Clock; address: string | undefined },
): Promise<Lease> {
  const current = await readHolder(db, head, { claimant, clock });
  if (current !== undefined) throw sessionBusy(head.sessionId, current);
  if ((await runOf(db, runId)) !== undefined) throw idTaken('run', runId);
  head.epoch = Math.max(head.epoch + 1, (await firstEpoch(db)) + 1);
  head.runId = runId;
  Object.assign(head, expiryAfter(ttlMs, clock));
  const { sessionId, epoch } = head;
  const startedAt = Math.max(head.updatedAt, clock.now());
  await db.insert(runs).values({ ...claimant.owner, runId, sessionId, epoch, startedAt, address });
  return { sessionId, runId, epoch };
}

/**
 * Returns the epoch before all those that this timeline of the server grants. A replica that becomes the primary server
 * without the newest rows begins a new timeline, so it grants no epoch that the old one has granted.
 */
async function firstEpoch(db: Db): Promise<number> {
  const [row] = await rowsOf<{ timeline: number }>(db, sql`SELECT ${TIMELINE} AS timeline`);
  return ((row?.timeline ?? 1) - 1) * EPOCHS_OF_TIMELINE;
}

/** Returns false if the lease is no longer held. */
export async function renew(
  db: Db,
  { sessionId, runId, epoch }: Lease,
  { ttlMs, clock, uptime }: { ttlMs: number; clock: ServerClock; uptime: number },
): Promise<boolean> {
  const held = and(eq(heads.sessionId, sessionId), eq(heads.runId, runId), eq(heads.epoch, epoch));
  const now = clock.inStatement;
  const renewed = await db
    .update(heads)
    .set({
      expiresAt: sql`${now} + ${ttlMs}::bigint`,
      expiresUptime: uptime + ttlMs,
      updatedAt: sql`greatest(${heads.updatedAt}, ${now})`,
    })
    .where(held)
    .returning({ epoch: heads.epoch });
  return renewed.length > 0;
}

/** Returns false if the run has already ended, or is not another run of the session. */
export async function closeDead(
  db: Db,
  { sessionId, runId: ownId }: Lease,
  { runId, now }: { runId: string; now: number },
): Promise<boolean> {
  if (runId === ownId) return false;
  const open = and(eq(runs.runId, runId), eq(runs.sessionId, sessionId), isNull(runs.endedAt));
  const end = { endedAt: now, status: 'interrupted' as const };
  const ended = await db.update(runs).set(end).where(open).returning({ runId: runs.runId });
  return ended.length > 0;
}

export async function listUnfinishedRuns(db: Db, limit: number): Promise<RunRecord[]> {
  const isNewest = and(eq(runs.sessionId, heads.sessionId), eq(runs.epoch, heads.epoch));
  const rows = await db
    .select(getColumns(runs))
    .from(runs)
    .innerJoin(heads, isNewest)
    .where(or(isNull(runs.endedAt), eq(runs.status, 'interrupted')))
    .orderBy(desc(sql`${runs}.key`))
    .limit(limit);
  return rows.map(toRunRecord);
}

export async function listRuns(db: Db, sessionId: string, isOpen: boolean): Promise<RunRecord[]> {
  const listed = and(eq(runs.sessionId, sessionId), isOpen ? isNull(runs.endedAt) : undefined);
  return (await db.select().from(runs).where(listed).orderBy(asc(runs.epoch))).map(toRunRecord);
}
