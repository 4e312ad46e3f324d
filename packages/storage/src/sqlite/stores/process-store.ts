import type { Lease, NewProcess, ProcessOutcome, ProcessRecord, ProcessStore } from '@longhaul/core';
import type { StoreCore } from './store-core.ts';

export function processStore(core: StoreCore): ProcessStore {
  return {
    recordProcess(lease: Lease, started: NewProcess): Promise<void> {
      return core.write(() => {
        core.heads.held(lease);
        core.processes.add(lease, started);
      });
    },

    endProcess(id: string, outcome: ProcessOutcome): Promise<void> {
      return core.write(() => core.processes.end(id, outcome));
    },

    listProcesses(sessionId: string, options: { open?: boolean } = {}): Promise<ProcessRecord[]> {
      return core.read(() => {
        core.heads.of(sessionId);
        return core.processes.list(sessionId, options);
      });
    },
  };
}
