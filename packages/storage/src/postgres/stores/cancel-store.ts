import type { CancelStore } from '@longhaul/core';
import { eq } from 'drizzle-orm';
import { cancels } from '../schema.ts';
import { readHolder } from '../tables/leases.ts';
import { emptyQueue } from '../tables/queue.ts';
import type { PostgresCore } from './store-core.ts';

export function cancelStore(core: PostgresCore): CancelStore {
  return {
    async requestCancel(sessionId, { clearQueue, ...claimant }) {
      const answer = await core.inSession(sessionId, async ({ db, head, now, clock }) => {
        const holder = await readHolder(db, head, { claimant, clock });
        if (holder !== undefined) {
          const row = { runId: holder.runId, sessionId, clearQueue, requestedAt: now };
          await db.insert(cancels).values(row).onConflictDoNothing();
        }
        const clearedMessages = clearQueue ? await emptyQueue(db, sessionId, 'removed') : 0;
        return { ...(holder === undefined ? {} : { holder }), clearedMessages };
      });
      core.watchers.notifySoon();
      return answer;
    },

    hasCancelRequest: (runId) => core.query(() => core.shared.hasCancelRequest(runId), ''),

    async answerCancel(runId) {
      await core.write('', async (db) => {
        await db.delete(cancels).where(eq(cancels.runId, runId));
      });
      core.watchers.notifySoon();
    },
  };
}
