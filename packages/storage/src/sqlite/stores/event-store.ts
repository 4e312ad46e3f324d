import type { EventStore, Lease } from '@longhaul/core';
import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import type { StoreCore } from './store-core.ts';

export function eventStore(core: StoreCore): EventStore {
  return {
    appendEvents(lease: Lease, events: readonly EventPayload[]): Promise<LonghaulEvent[]> {
      return core.append(lease, events, () => undefined);
    },

    lastEventNumber(sessionId: string): Promise<number> {
      return core.read(() => core.heads.of(sessionId).lastEvent);
    },

    readEvents(
      sessionId: string,
      { after = 0, limit = -1 }: { after?: number; limit?: number } = {},
    ): Promise<LonghaulEvent[]> {
      return core.read(() => {
        core.heads.of(sessionId);
        return core.events.read(sessionId, { after, limit });
      });
    },
  };
}
