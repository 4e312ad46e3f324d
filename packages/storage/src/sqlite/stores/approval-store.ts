import type { ApprovalStore, Lease, NewApproval, Store } from '@longhaul/core';
import type { Approval, LonghaulEvent } from '@longhaul/protocol';
import { answeredEvent, requestedEvent } from '../../shared/approval-events.ts';
import { onlyRequest } from '../../shared/only-request.ts';
import type { StoreCore } from './store-core.ts';

export function approvalStore(core: StoreCore): ApprovalStore {
  return {
    requestApproval(
      lease: Lease,
      request: NewApproval,
    ): Promise<{ approval: Approval; events: LonghaulEvent[] }> {
      return core.write(() => {
        const head = core.heads.held(lease);
        const known = core.approvals.find(lease.sessionId, request.handle);
        if (known !== undefined) return { approval: known, events: [] };
        const approval = core.approvals.add(lease.sessionId, request);
        return { approval, events: core.appendAndSave(head, [requestedEvent(approval)]) };
      });
    },

    answerApproval(
      ...[sessionId, callId, { handle, ...answer }]: Parameters<Store['answerApproval']>
    ): ReturnType<Store['answerApproval']> {
      return core.write(() => {
        const head = core.heads.of(sessionId);
        const known = onlyRequest(core.approvals.ofCall(sessionId, callId, handle));
        if (known === undefined) return undefined;
        if (known.answeredAt !== undefined) return { approval: known, isNew: false, events: [] };
        const approval = core.approvals.answer(known, answer);
        return { approval, isNew: true, events: core.appendAndSave(head, [answeredEvent(approval)]) };
      });
    },

    listOpenApprovals({ limit }: { limit: number }): Promise<Approval[]> {
      return core.read(() => core.approvals.listOpen(limit));
    },

    listApprovals(sessionId: string, options: { open?: boolean } = {}): Promise<Approval[]> {
      return core.read(() => {
        core.heads.of(sessionId);
        return core.approvals.list(sessionId, options);
      });
    },
  };
}
