import { eq } from 'drizzle-orm';
import type { Drizzle } from './connection.ts';
import { cancels } from './schema.ts';

/** Cancel requests. Each is kept until its run answers it. */
export function createCancelTable(db: Drizzle, now: () => number) {
  return {
    request(row: { runId: string; sessionId: string; clearQueue: boolean }): void {
      db.insert(cancels)
        .values({ ...row, requestedAt: now() })
        .onConflictDoNothing()
        .run();
    },

    has(runId: string): boolean {
      const row = db.select({ runId: cancels.runId }).from(cancels).where(eq(cancels.runId, runId)).get();
      return row !== undefined;
    },

    answer(runId: string): void {
      db.delete(cancels).where(eq(cancels.runId, runId)).run();
    },
  };
}
