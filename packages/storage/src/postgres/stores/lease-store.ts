import type { LeaseStore } from '@longhaul/core';
import { leaseLost } from '../../shared/store-errors.ts';
import { readHead, saveHead } from '../heads.ts';
import { assertUsable } from '../table-version.ts';
import { addEvents } from '../tables/events.ts';
import {
  acquire,
  closeDead,
  endRun,
  listRuns,
  listUnfinishedRuns,
  readHolder,
  renew,
} from '../tables/leases.ts';
import { pendingMessages } from '../tables/queue.ts';
import { changeSession } from '../tables/sessions.ts';
import type { PostgresCore } from './store-core.ts';

export function leaseStore(core: PostgresCore): LeaseStore {
  return {
    acquireLease: (sessionId, { events: payloads = [], ...options }) =>
      core.inSession(sessionId, async ({ db, head, now, clock }) => {
        await assertUsable(db, core.address);
        const lease = await acquire(db, head, { ...options, clock, address: core.serverAddress?.() });
        const events = await addEvents(db, head, { payloads, now });
        await saveHead(db, head, now);
        return { lease, events };
      }),

    // Does not change what appends expect of the head, so it waits for none.
    renewLease: (lease, ttlMs) =>
      core.query(async (db) => {
        const uptime = core.clock.at(0).uptime();
        if (await renew(db, lease, { ttlMs, clock: core.clock, uptime })) return;
        await readHead(db, lease.sessionId);
        throw leaseLost(lease.sessionId, lease.runId);
      }, lease.sessionId),

    leaseHolder: (sessionId, claimant) =>
      core.query(async (db) => {
        const { head, now } = await readHead(db, sessionId);
        return readHolder(db, head, { claimant, clock: core.clock.at(now) });
      }, sessionId),

    closeDeadRun: (lease, runId, payloads) =>
      core.held(lease, async ({ db, head, now }) => {
        if (!(await closeDead(db, lease, { runId, now }))) return [];
        const events = await addEvents(db, head, { payloads, now });
        await saveHead(db, head, now);
        return events;
      }),

    finishRun: (lease, { status, sessionStatus, onlyIfQueueEmpty, summary, events: payloads }) =>
      core.held(lease, async ({ db, head, now }) => {
        if (onlyIfQueueEmpty && (await pendingMessages(db, lease.sessionId)) > 0)
          return { finished: false, events: [] };
        await endRun(db, head, { status, now });
        await changeSession(db, lease.sessionId, {
          status: sessionStatus,
          ...(summary === undefined ? {} : { summary }),
        });
        const origin = { sequence: head.lastSequence };
        const events = await addEvents(db, head, { payloads, now, origin });
        await saveHead(db, head, now);
        return { finished: true, events };
      }),

    listRuns: (sessionId, { isOpen = false } = {}) =>
      core.query(async (db) => {
        await readHead(db, sessionId);
        return listRuns(db, sessionId, isOpen);
      }, sessionId),

    listUnfinishedRuns: ({ limit }) => core.query((db) => listUnfinishedRuns(db, limit)),
  };
}
