import type { KeptOutput, Lease, OutputRecord, OutputStore } from '@longhaul/core';
import type { StoreCore } from './store-core.ts';

export function outputStore(core: StoreCore): OutputStore {
  return {
    recordOutput(lease: Lease, output: KeptOutput): Promise<void> {
      return core.write(() => {
        core.heads.held(lease);
        core.outputs.add(lease.sessionId, output);
      });
    },

    listOutputs(sessionId: string): Promise<OutputRecord[]> {
      return core.read(() => {
        core.heads.of(sessionId);
        return core.outputs.list(sessionId);
      });
    },

    deleteOutputs(lease: Lease, handles: readonly string[]): Promise<string[]> {
      return core.write(() => {
        core.heads.held(lease);
        return core.outputs.delete(lease.sessionId, handles);
      });
    },
  };
}
