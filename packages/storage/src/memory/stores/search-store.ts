import type { SearchStore } from '@longhaul/core';
import type { MemoryCore } from '../memory-core.ts';
import { searchMessages } from '../memory-search.ts';

export function searchStore(core: MemoryCore): SearchStore {
  return {
    search: async (terms, { sessionId, limit = 20 } = {}) => {
      const sessions = core.list.filter(({ session }) => sessionId === undefined || session.id === sessionId);
      return searchMessages(
        sessions.flatMap(({ messages }) => messages),
        terms,
        limit,
      );
    },
  };
}
