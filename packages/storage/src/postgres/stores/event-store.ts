import type { EventStore } from '@longhaul/core';
import { sessionNotFound } from '../../shared/store-errors.ts';
import { readEvents } from '../tables/events.ts';
import type { PostgresCore } from './store-core.ts';

export function eventStore(core: PostgresCore): EventStore {
  async function lastEvent(sessionId: string): Promise<number> {
    const last = await core.shared.lastEvent(sessionId);
    if (last === undefined) throw sessionNotFound(sessionId);
    return last;
  }

  return {
    appendEvents: (lease, payloads) => core.append(lease, undefined, (plan) => plan.events(payloads)),

    lastEventNumber: (sessionId) => core.query(() => lastEvent(sessionId), sessionId),

    // Most reads find nothing new: a server looks after each change of another one.
    readEvents: (sessionId, { after = 0, limit = -1 } = {}) =>
      core.query(
        async (db) =>
          (await lastEvent(sessionId)) > after ? readEvents(db, sessionId, { after, limit }) : [],
        sessionId,
      ),
  };
}
