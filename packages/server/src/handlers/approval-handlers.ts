import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

export function approvalHandlers({
  runtime: { approvals },
}: HandlerContext): Pick<RouteHandlers, 'listApprovals' | 'answerApproval'> {
  return {
    async listApprovals({ params: { sessionId }, query: { open } }) {
      return { approvals: await approvals.list(sessionId, { open: open === 'true' }) };
    },

    async answerApproval({ params: { sessionId, callId }, body: { answer, reason, handle } }) {
      return { ok: true, ...(await approvals.answer(sessionId, callId, { answer, reason, handle })) };
    },
  };
}
