import type { EventStore } from '@longhaul/core';
import type { MemoryCore } from '../memory-core.ts';

export function eventStore(core: MemoryCore): EventStore {
  return {
    appendEvents: async (lease, events) => core.held(lease, events).appendEvents(events),

    lastEventNumber: async (sessionId) => core.get(sessionId).events.length,

    readEvents: async (sessionId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) =>
      structuredClone(core.get(sessionId).events.slice(after, after + limit)),
  };
}
