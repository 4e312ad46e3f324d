import { liveLog } from '@longhaul/context/engine';
import type { SearchStore } from '@longhaul/core';
import type { MemoryCore } from '../memory-core.ts';
import { searchMessages } from '../memory-search.ts';

export function searchStore(core: MemoryCore): SearchStore {
  return {
    search: async (terms, { sessionId, limit = 20, includeReverted = false } = {}) => {
      const sessions = core.list.filter(({ session }) => sessionId === undefined || session.id === sessionId);
      return searchMessages(
        sessions.flatMap(({ messages, marks }) =>
          includeReverted ? messages : liveLog({ messages, marks }).messages,
        ),
        terms,
        limit,
      );
    },
  };
}
