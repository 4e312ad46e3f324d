import type { ProcessStore } from '@longhaul/core';
import type { MemoryCore } from '../memory-core.ts';

export function processStore(core: MemoryCore): ProcessStore {
  return {
    recordProcess: async (lease, started) => {
      const { sessionId, runId } = lease;
      const record = { ...structuredClone(started), sessionId, runId, startedAt: core.clock.now() };
      core.held(lease).processes.push(record);
    },

    endProcess: async (id, outcome) => {
      const open = core.list
        .flatMap(({ processes }) => processes)
        .find((record) => record.id === id && record.endedAt === undefined);
      if (open !== undefined) Object.assign(open, { endedAt: core.clock.now(), outcome });
    },

    listProcesses: async (sessionId, { open = false } = {}) => {
      const { processes } = core.get(sessionId);
      return structuredClone(processes.filter(({ endedAt }) => !open || endedAt === undefined));
    },
  };
}
