import type { ApprovalStore } from '@longhaul/core';
import { answeredEvent, requestedEvent } from '../../shared/approval-events.ts';
import { onlyRequest } from '../../shared/only-request.ts';
import { readHead, saveHead } from '../heads.ts';
import {
  addApproval,
  answerApproval,
  approvalsOfCall,
  findApproval,
  listApprovals,
  listOpenApprovals,
} from '../tables/approvals.ts';
import { addEvents } from '../tables/events.ts';
import type { PostgresCore } from './store-core.ts';

export function approvalStore(core: PostgresCore): ApprovalStore {
  return {
    requestApproval: (lease, request) =>
      core.held(lease, async ({ db, head, now }) => {
        const known = await findApproval(db, lease.sessionId, request.handle);
        if (known !== undefined) return { approval: known, events: [] };
        const approval = await addApproval(db, lease.sessionId, { request, now });
        const events = await addEvents(db, head, { payloads: [requestedEvent(approval)], now });
        await saveHead(db, head, now);
        return { approval, events };
      }),

    answerApproval: (sessionId, callId, { handle, ...answer }) =>
      core.inSession(sessionId, async ({ db, head, now }) => {
        const known = onlyRequest(await approvalsOfCall(db, sessionId, { callId, handle }));
        if (known === undefined) return undefined;
        if (known.answeredAt !== undefined) return { approval: known, isNew: false, events: [] };
        const approval = await answerApproval(db, known, { answer, now });
        const events = await addEvents(db, head, { payloads: [answeredEvent(approval)], now });
        await saveHead(db, head, now);
        return { approval, isNew: true, events };
      }),

    listOpenApprovals: ({ limit }) => core.query((db) => listOpenApprovals(db, limit)),

    listApprovals: (sessionId, options = {}) =>
      core.query(async (db) => {
        await readHead(db, sessionId);
        return listApprovals(db, sessionId, options);
      }, sessionId),
  };
}
