import type { EventStore } from '@longhaul/core';
import { readHead } from '../heads.ts';
import { readEvents } from '../tables/events.ts';
import type { PostgresCore } from './store-core.ts';

export function eventStore(core: PostgresCore): EventStore {
  return {
    appendEvents: (lease, payloads) => core.append(lease, undefined, (plan) => plan.events(payloads)),

    lastEventNumber: (sessionId) =>
      core.query(async (db) => (await readHead(db, sessionId)).head.lastEvent, sessionId),

    readEvents: (sessionId, { after = 0, limit = -1 } = {}) =>
      core.query(async (db) => {
        await readHead(db, sessionId);
        return readEvents(db, sessionId, { after, limit });
      }, sessionId),
  };
}
