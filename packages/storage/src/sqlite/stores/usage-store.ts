import type { UsageStore } from '@longhaul/core';
import type { StoreCore } from './store-core.ts';

export function usageStore(core: StoreCore): UsageStore {
  return {
    recordUsage: (entry) => core.write(() => core.usage.add(entry)),
    readSpent: (of) => core.read(() => core.usage.totals(of)),
    listUsage: (query) => core.read(() => core.usage.list(query)),
  };
}
