import type { Lease, LeaseHolder, LeaseOwner, RunRecord } from '@longhaul/core';
import type { RunStatus } from '@longhaul/protocol';
import { asc, eq } from 'drizzle-orm';
import { withoutNulls } from '../shared/json.ts';
import { idTaken, sessionBusy } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import { runs } from './schema.ts';
import type { Head } from './session-heads.ts';

export interface AcquireOptions {
  runId: string;
  owner: LeaseOwner;
  ttlMs: number;
  isAlive: (owner: LeaseOwner) => boolean;
}

type RunRow = typeof runs.$inferSelect;

/** Leases live in the session's head; the run that holds it, and those before, are rows of `runs`. */
export function createLeaseTable(db: Drizzle, now: () => number) {
  const run = (runId: string) => db.select().from(runs).where(eq(runs.runId, runId)).get();

  function holder(head: Head): LeaseHolder | undefined {
    const row = head.runId === null ? undefined : run(head.runId);
    if (row === undefined) return undefined;
    return { runId: row.runId, epoch: row.epoch, owner: ownerOf(row), expiresAt: head.expiresAt ?? 0 };
  }

  function end(head: Head, status: RunStatus): void {
    if (head.runId === null) return;
    db.update(runs).set({ endedAt: now(), status }).where(eq(runs.runId, head.runId)).run();
    head.runId = null;
    head.expiresAt = null;
  }

  return {
    holder,
    end,
    /** Changes the head; the caller saves it. */
    acquire(head: Head, { runId, owner, ttlMs, isAlive }: AcquireOptions): Lease {
      const current = holder(head);
      if (current !== undefined && current.expiresAt > now() && isAlive(current.owner)) {
        throw sessionBusy(head.sessionId, current);
      }
      end(head, 'interrupted');
      if (run(runId) !== undefined) throw idTaken('run', runId);
      head.epoch += 1;
      head.runId = runId;
      head.expiresAt = now() + ttlMs;
      const { sessionId, epoch } = head;
      db.insert(runs)
        .values({ ...owner, runId, sessionId, epoch, startedAt: now() })
        .run();
      return { sessionId, runId, epoch };
    },

    /** Changes the head; the caller saves it. */
    renew(head: Head, ttlMs: number): void {
      head.expiresAt = now() + ttlMs;
    },

    list(sessionId: string): RunRecord[] {
      const rows = db.select().from(runs).where(eq(runs.sessionId, sessionId)).orderBy(asc(runs.epoch)).all();
      return rows.map((row) => {
        const { runId, startedAt, endedAt, status } = row;
        return withoutNulls({ runId, sessionId, owner: ownerOf(row), startedAt, endedAt, status });
      });
    },
  };
}

export type LeaseTable = ReturnType<typeof createLeaseTable>;

function ownerOf({ host, bootId, pid, processStartedAt }: RunRow): LeaseOwner {
  return { host, bootId, pid, processStartedAt };
}
