import type { Claimant, Lease, LeaseHolder, RunRecord } from '@longhaul/core';
import type { RunStatus } from '@longhaul/protocol';
import { and, asc, desc, eq, getTableColumns, isNull, or, sql } from 'drizzle-orm';
import { type Clock, expiryAfter, isHeld } from '../shared/clock.ts';
import { type AcquireOptions, ownerOf, toRunRecord } from '../shared/run-rows.ts';
import { idTaken, sessionBusy } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import { heads, runs } from './schema.ts';
import { type Head, timeIn } from './session-heads.ts';

/** A lease is stored in the session's head. The current and earlier runs are rows of `runs`. */
export function createLeaseTable(db: Drizzle, clock: Clock) {
  const { now } = clock;
  const run = (runId: string) => db.select().from(runs).where(eq(runs.runId, runId)).get();

  function holder(head: Head, claimant?: Claimant): LeaseHolder | undefined {
    const row = head.runId === null ? undefined : run(head.runId);
    if (row === undefined) return undefined;
    const { expiresAt, expiresUptime } = head;
    const owner = ownerOf(row);
    const expiry = { expiresAt: expiresAt ?? 0, expiresUptime: expiresUptime ?? 0 };
    if (claimant !== undefined && !isHeld({ owner, ...expiry }, claimant, clock)) return undefined;
    return { runId: row.runId, epoch: row.epoch, owner, expiresAt: expiry.expiresAt };
  }

  return {
    holder,
    /** Changes the head. The caller must save it. */
    end(head: Head, status: RunStatus): void {
      if (head.runId === null) return;
      db.update(runs)
        .set({ endedAt: timeIn(head, now), status })
        .where(eq(runs.runId, head.runId))
        .run();
      head.runId = null;
      head.expiresAt = null;
      head.expiresUptime = null;
    },

    /** Changes the head. The caller must save it. */
    acquire(head: Head, { runId, ttlMs, ...claimant }: AcquireOptions): Lease {
      const current = holder(head, claimant);
      if (current !== undefined) throw sessionBusy(head.sessionId, current);
      if (run(runId) !== undefined) throw idTaken('run', runId);
      head.epoch += 1;
      head.runId = runId;
      Object.assign(head, expiryAfter(ttlMs, clock));
      const { sessionId, epoch } = head;
      db.insert(runs)
        .values({ ...claimant.owner, runId, sessionId, epoch, startedAt: timeIn(head, now) })
        .run();
      return { sessionId, runId, epoch };
    },

    /** Changes the head. The caller must save it. */
    renew(head: Head, ttlMs: number): void {
      Object.assign(head, expiryAfter(ttlMs, clock));
    },

    /** Returns false if the run has already ended, or is not another run of the session. */
    closeDead({ sessionId, runId: ownId }: Lease, runId: string): boolean {
      if (runId === ownId) return false;
      const open = and(eq(runs.runId, runId), eq(runs.sessionId, sessionId), isNull(runs.endedAt));
      const end = { endedAt: now(), status: 'interrupted' as const };
      return db.update(runs).set(end).where(open).returning({ runId: runs.runId }).get() !== undefined;
    },

    listUnfinished(limit: number): RunRecord[] {
      const isNewest = and(eq(runs.sessionId, heads.sessionId), eq(runs.epoch, heads.epoch));
      return db
        .select(getTableColumns(runs))
        .from(runs)
        .innerJoin(heads, isNewest)
        .where(or(isNull(runs.endedAt), eq(runs.status, 'interrupted')))
        .orderBy(desc(sql`${runs}.rowid`))
        .limit(limit)
        .all()
        .map(toRunRecord);
    },

    list(sessionId: string, isOpen: boolean): RunRecord[] {
      const listed = and(eq(runs.sessionId, sessionId), isOpen ? isNull(runs.endedAt) : undefined);
      const rows = db.select().from(runs).where(listed).orderBy(asc(runs.epoch)).all();
      return rows.map(toRunRecord);
    },
  };
}
