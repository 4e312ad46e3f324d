import type { ServerMemory } from '@longhaul/models';
import type { StoreCore } from './store-core.ts';

export function serverStore(core: StoreCore): ServerMemory {
  return {
    learnedWindow: (server, reportedTokens) => core.read(() => core.windows.get(server, reportedTokens)),
    learnWindow: (server, windowTokens, reportedTokens) =>
      core.write(() => core.windows.put(server, windowTokens, reportedTokens)),
    forgetWindow: (server) => core.write(() => core.windows.remove(server)),
    learnedSettings: (server) => core.read(() => core.serverSettings.get(server)),
    learnSettings: (server, settings) => core.write(() => core.serverSettings.put(server, settings)),
  };
}
