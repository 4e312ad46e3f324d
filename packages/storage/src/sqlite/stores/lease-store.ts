import type { Claimant, FinishRunOptions, Lease, LeaseHolder, LeaseStore, RunRecord } from '@longhaul/core';
import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import type { AcquireOptions } from '../../shared/run-rows.ts';
import type { StoreCore } from './store-core.ts';

export function leaseStore(core: StoreCore): LeaseStore {
  return {
    acquireLease(
      sessionId: string,
      { events = [], ...options }: AcquireOptions & { events?: readonly EventPayload[] },
    ): Promise<{ lease: Lease; events: LonghaulEvent[] }> {
      return core.write(() => {
        const head = core.heads.of(sessionId);
        const lease = core.leases.acquire(head, options);
        return { lease, events: core.appendAndSave(head, events) };
      });
    },

    renewLease(lease: Lease, ttlMs: number): Promise<void> {
      return core.write(() => {
        const head = core.heads.held(lease);
        core.leases.renew(head, ttlMs);
        core.heads.save(head);
      });
    },

    leaseHolder(sessionId: string, claimant?: Claimant): Promise<LeaseHolder | undefined> {
      return core.read(() => core.leases.holder(core.heads.of(sessionId), claimant));
    },

    closeDeadRun(lease: Lease, runId: string, events: readonly EventPayload[]): Promise<LonghaulEvent[]> {
      return core.write(() => {
        const head = core.heads.held(lease);
        return core.leases.closeDead(lease, runId) ? core.appendAndSave(head, events) : [];
      });
    },

    finishRun(
      lease: Lease,
      { status, sessionStatus, onlyIfQueueEmpty, summary, events }: FinishRunOptions,
    ): Promise<{ finished: boolean; events: LonghaulEvent[] }> {
      return core.write(() => {
        const head = core.heads.held(lease);
        if (onlyIfQueueEmpty && core.queue.pending(lease.sessionId) > 0)
          return { finished: false, events: [] };
        core.leases.end(head, status);
        core.sessions.change(lease.sessionId, { status: sessionStatus, summary });
        return { finished: true, events: core.appendAndSave(head, events, { sequence: head.lastSequence }) };
      });
    },

    listRuns(sessionId: string, { isOpen = false }: { isOpen?: boolean } = {}): Promise<RunRecord[]> {
      return core.read(() => {
        core.heads.of(sessionId);
        return core.leases.list(sessionId, isOpen);
      });
    },

    listUnfinishedRuns({ limit }: { limit: number }): Promise<RunRecord[]> {
      return core.read(() => core.leases.listUnfinished(limit));
    },
  };
}
