import type { ApprovalStore } from '@longhaul/core';
import type { Approval } from '@longhaul/protocol';
import { answeredEvent, requestedEvent } from '../../shared/approval-events.ts';
import { onlyRequest } from '../../shared/only-request.ts';
import type { MemoryCore } from '../memory-core.ts';

export function approvalStore(core: MemoryCore): ApprovalStore {
  return {
    requestApproval: async (lease, request) => {
      const held = core.held(lease);
      const known = held.approvals.find(({ handle }) => handle === request.handle);
      if (known !== undefined) return { approval: structuredClone(known), events: [] };
      const { sessionId } = lease;
      const approval = { ...structuredClone(request), sessionId, requestedAt: core.clock.now() };
      held.approvals.push(approval);
      return { approval: structuredClone(approval), events: held.appendEvents([requestedEvent(approval)]) };
    },

    answerApproval: async (sessionId, callId, { handle, ...answer }) => {
      const held = core.get(sessionId);
      const isMeant = (approval: Approval) =>
        approval.callId === callId && (handle === undefined || approval.handle === handle);
      const approval = onlyRequest(held.approvals.filter(isMeant));
      if (approval === undefined) return undefined;
      const isNew = approval.answeredAt === undefined;
      if (isNew) Object.assign(approval, answer, { answeredAt: core.clock.now() });
      const events = isNew ? held.appendEvents([answeredEvent(approval)]) : [];
      return { approval: structuredClone(approval), isNew, events };
    },

    listOpenApprovals: async ({ limit }) =>
      structuredClone(
        core.list
          .flatMap(({ approvals }) => approvals)
          .filter(({ answeredAt }) => answeredAt === undefined)
          .sort((left, right) => left.requestedAt - right.requestedAt)
          .slice(0, limit),
      ),

    listApprovals: async (sessionId, { open = false } = {}) =>
      structuredClone(
        core.get(sessionId).approvals.filter(({ answeredAt }) => !open || answeredAt === undefined),
      ),
  };
}
