import type { LeaseStore } from '@longhaul/core';
import { expiryAfter } from '../../shared/clock.ts';
import { assertDurable, idTaken, sessionBusy } from '../../shared/store-errors.ts';
import type { MemoryCore } from '../memory-core.ts';

export function leaseStore(core: MemoryCore): LeaseStore {
  return {
    acquireLease: async (sessionId, { runId, ttlMs, events = [], ...claimant }) => {
      const held = core.get(sessionId);
      assertDurable(events);
      const holder = core.holder(held, claimant);
      if (holder !== undefined) throw sessionBusy(sessionId, holder);
      if (core.runIds.has(runId)) throw idTaken('run', runId);
      core.runIds.add(runId);
      held.epoch += 1;
      const { epoch } = held;
      const owner = structuredClone(claimant.owner);
      held.holder = { runId, epoch, owner, ...expiryAfter(ttlMs, core.clock) };
      held.runs.push({ runId, sessionId, owner: structuredClone(owner), startedAt: held.time });
      return { lease: { sessionId, runId, epoch }, events: held.appendEvents(events) };
    },

    renewLease: async (lease, ttlMs) => {
      const { holder } = core.held(lease);
      if (holder !== undefined) Object.assign(holder, expiryAfter(ttlMs, core.clock));
    },

    leaseHolder: async (sessionId, claimant) => structuredClone(core.holder(core.get(sessionId), claimant)),

    closeDeadRun: async (lease, runId, events) => {
      const held = core.held(lease, events);
      const dead = held.runs.find((run) => run.runId === runId && run.endedAt === undefined);
      if (dead === undefined || runId === lease.runId) return [];
      Object.assign(dead, { endedAt: held.time, status: 'interrupted' });
      return held.appendEvents(events);
    },

    finishRun: async (lease, options) => {
      const held = core.held(lease, options.events);
      if (options.onlyIfQueueEmpty && held.waiting.length > 0) return { finished: false, events: [] };
      held.endRun(options.status);
      held.session.status = options.sessionStatus;
      if (options.summary !== undefined) held.session.summary = options.summary;
      held.touch();
      return { finished: true, events: held.appendEvents(options.events) };
    },

    listRuns: async (sessionId, { isOpen = false } = {}) => {
      const { runs } = core.get(sessionId);
      return structuredClone(isOpen ? runs.filter(({ endedAt }) => endedAt === undefined) : runs);
    },

    listUnfinishedRuns: async ({ limit }) => {
      const newest = core.list.flatMap(({ runs }) => runs.at(-1) ?? []);
      const unfinished = newest.filter(
        ({ endedAt, status }) => endedAt === undefined || status === 'interrupted',
      );
      const byId = new Map(unfinished.map((run) => [run.runId, run]));
      const newestFirst = [...core.runIds].toReversed().flatMap((runId) => byId.get(runId) ?? []);
      return structuredClone(newestFirst.slice(0, limit));
    },
  };
}
