import type { CancelStore } from '@longhaul/core';
import type { MemoryCore } from '../memory-core.ts';

export function cancelStore(core: MemoryCore): CancelStore {
  return {
    requestCancel: async (sessionId, { clearQueue, ...claimant }) => {
      const held = core.get(sessionId);
      const holder = core.holder(held, claimant);
      if (holder !== undefined) held.cancels.add(holder.runId);
      const clearedMessages = clearQueue ? held.clearQueue() : 0;
      core.watchers.notifySoon();
      return { ...(holder === undefined ? {} : { holder: structuredClone(holder) }), clearedMessages };
    },

    hasCancelRequest: async (runId) => core.list.some(({ cancels }) => cancels.has(runId)),

    answerCancel: async (runId) => {
      for (const { cancels } of core.list) cancels.delete(runId);
      core.watchers.notifySoon();
    },
  };
}
