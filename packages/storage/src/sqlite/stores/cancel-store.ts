import type { CancelStore, Claimant, LeaseHolder } from '@longhaul/core';
import type { StoreCore } from './store-core.ts';

export function cancelStore(core: StoreCore): CancelStore {
  return {
    async requestCancel(
      sessionId: string,
      { clearQueue, ...claimant }: Claimant & { clearQueue: boolean },
    ): Promise<{ holder?: LeaseHolder; clearedMessages: number }> {
      const answer = await core.inSession(sessionId, () => {
        const holder = core.leases.holder(core.heads.of(sessionId), claimant);
        if (holder !== undefined) core.cancels.request({ runId: holder.runId, sessionId, clearQueue });
        const clearedMessages = clearQueue ? core.queue.clear(sessionId) : 0;
        return { ...(holder === undefined ? {} : { holder }), clearedMessages };
      });
      core.watchers.notifySoon();
      return answer;
    },

    hasCancelRequest(runId: string): Promise<boolean> {
      return core.read(() => core.cancels.has(runId));
    },

    async answerCancel(runId: string): Promise<void> {
      await core.write(() => core.cancels.answer(runId));
      core.watchers.notifySoon();
    },
  };
}
