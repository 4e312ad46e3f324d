import type { WindowMemory } from '@longhaul/models';
import type { StoreCore } from './store-core.ts';

export function windowStore(core: StoreCore): WindowMemory {
  return {
    learnedWindow: (server, reportedTokens) => core.read(() => core.windows.get(server, reportedTokens)),
    learnWindow: (server, windowTokens, reportedTokens) =>
      core.write(() => core.windows.put(server, windowTokens, reportedTokens)),
    forgetWindow: (server) => core.write(() => core.windows.remove(server)),
  };
}
