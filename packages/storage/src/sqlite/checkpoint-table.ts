import type { LedgerCheckpoint } from '@longhaul/core';
import { eq } from 'drizzle-orm';
import type { Drizzle } from './connection.ts';
import { checkpoints } from './schema.ts';

/** The newest ledger checkpoint of each session. */
export function createCheckpointTable(db: Drizzle) {
  return {
    put(sessionId: string, checkpoint: LedgerCheckpoint): void {
      db.insert(checkpoints)
        .values({ sessionId, ...checkpoint })
        .onConflictDoUpdate({ target: checkpoints.sessionId, set: checkpoint })
        .run();
    },

    get(sessionId: string): LedgerCheckpoint | undefined {
      return db
        .select({ sequence: checkpoints.sequence, fold: checkpoints.fold })
        .from(checkpoints)
        .where(eq(checkpoints.sessionId, sessionId))
        .get();
    },
  };
}
