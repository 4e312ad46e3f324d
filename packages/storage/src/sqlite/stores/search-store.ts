import type { SearchHit, SearchOptions, SearchStore } from '@longhaul/core';
import type { StoreCore } from './store-core.ts';

export function searchStore(core: StoreCore): SearchStore {
  return {
    search(
      terms: string,
      { sessionId, limit = 20, includeReverted = false }: SearchOptions = {},
    ): Promise<SearchHit[]> {
      return core.read(() => core.search.find(terms, { sessionId, limit, includeReverted }));
    },
  };
}
