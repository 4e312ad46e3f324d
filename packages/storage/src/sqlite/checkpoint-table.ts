import type { LedgerCheckpoint } from '@longhaul/core';
import { eq } from 'drizzle-orm';
import { isSoundRow, rowChecksum } from '../shared/row-checksum.ts';
import type { Drizzle } from './connection.ts';
import { unlessDamaged } from './readable-rows.ts';
import { checkpoints } from './schema.ts';

/** The newest ledger checkpoint of each session. */
export function createCheckpointTable(db: Drizzle) {
  return {
    put(sessionId: string, checkpoint: LedgerCheckpoint): void {
      const checksum = rowChecksum('checkpoints', { sessionId, ...checkpoint });
      const row = { ...checkpoint, checksum };
      db.insert(checkpoints)
        .values({ sessionId, ...row })
        .onConflictDoUpdate({ target: checkpoints.sessionId, set: row })
        .run();
    },

    /** Returns undefined for a damaged checkpoint: the fold is then computed from the messages. */
    get(sessionId: string): LedgerCheckpoint | undefined {
      const isIt = eq(checkpoints.sessionId, sessionId);
      const row = unlessDamaged(() => db.select().from(checkpoints).where(isIt).get());
      if (row === undefined || !isSoundRow('checkpoints', row)) return undefined;
      return { sequence: row.sequence, fold: row.fold };
    },
  };
}
