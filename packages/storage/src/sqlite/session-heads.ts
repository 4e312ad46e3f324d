import type { Lease } from '@longhaul/core';
import { eq, sql } from 'drizzle-orm';
import { lazy } from '../shared/lazy.ts';
import { leaseLost, sessionNotFound } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import { heads } from './schema.ts';

/** A session's counters and lease. Code that changes a head must `save` it in the same write. */
export type Head = typeof heads.$inferSelect;

/**
 * Returns the time for a new row of the session: now, or the session's newest stored time if the clock was set back
 * since. So the stored times of a session never go back.
 */
export function timeIn({ updatedAt }: Pick<Head, 'updatedAt'>, now: () => number): number {
  return Math.max(updatedAt, now());
}

export function createSessionHeads(db: Drizzle, now: () => number) {
  const select = lazy(() =>
    db
      .select()
      .from(heads)
      .where(eq(heads.sessionId, sql.placeholder('sessionId')))
      .prepare(),
  );
  const update = lazy(() =>
    db
      .update(heads)
      .set({
        updatedAt: sql`${sql.placeholder('updatedAt')}`,
        lastSequence: sql`${sql.placeholder('lastSequence')}`,
        lastEvent: sql`${sql.placeholder('lastEvent')}`,
        epoch: sql`${sql.placeholder('epoch')}`,
        runId: sql`${sql.placeholder('runId')}`,
        expiresAt: sql`${sql.placeholder('expiresAt')}`,
        expiresUptime: sql`${sql.placeholder('expiresUptime')}`,
      })
      .where(eq(heads.sessionId, sql.placeholder('sessionId')))
      .prepare(),
  );

  /**
   * Heads as stored on disk, valid until `forget`, so that an append need not read a head that this connection wrote.
   */
  const known = new Map<string, Head>();

  function of(sessionId: string): Head {
    const head = known.get(sessionId) ?? select().get({ sessionId });
    if (head === undefined) throw sessionNotFound(sessionId);
    if (known.size > 1000) known.clear();
    known.set(sessionId, head);
    return head;
  }

  return {
    of,
    /** Returns the head if the lease is still valid. @throws {LonghaulError} `lease_lost`, `session_not_found`. */
    held(lease: Lease): Head {
      const head = of(lease.sessionId);
      if (head.epoch !== lease.epoch || head.runId !== lease.runId) {
        throw leaseLost(lease.sessionId, lease.runId);
      }
      return head;
    },
    save(head: Head): void {
      head.updatedAt = timeIn(head, now);
      update().run(head);
    },
    drop(sessionId: string): void {
      known.delete(sessionId);
      db.delete(heads).where(eq(heads.sessionId, sessionId)).run();
    },
    /** Call this after a rollback or after another connection's commit. */
    forget: () => known.clear(),
    create(sessionId: string, counts: { updatedAt: number; lastSequence: number }): void {
      const fresh = { sessionId, ...counts, lastEvent: 0, epoch: 0 };
      db.insert(heads).values(fresh).run();
    },
  };
}

export type SessionHeads = ReturnType<typeof createSessionHeads>;
