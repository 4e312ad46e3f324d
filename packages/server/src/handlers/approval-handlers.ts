import type { Approval, Session } from '@longhaul/protocol';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'listOpenApprovals' | 'listApprovals' | 'answerApproval';

const MAX_OPEN = 500;
/** Requests of all sessions, of which a token may see some. */
const MAX_READ = 5_000;

export function approvalHandlers({
  runtime: { approvals },
  store,
  runs,
  deletions,
  gate,
  alwaysAllows,
}: HandlerContext): Pick<RouteHandlers, Names> {
  async function withScope(approval: Approval, { workspace }: Session) {
    if (approval.answeredAt !== undefined) return approval;
    const { toolName, args } = approval;
    return { ...approval, alwaysAllows: await alwaysAllows({ toolName, args, workspace }) };
  }

  async function parentOf({ parentId }: Session) {
    const parent = parentId === undefined ? undefined : await store.getSession(parentId);
    return parent === undefined ? undefined : { id: parent.id, title: parent.title };
  }

  return {
    async listOpenApprovals({ access }) {
      const limit = access.scope === 'admin' ? MAX_OPEN : MAX_READ;
      const open = await store.listOpenApprovals({ limit });
      const listed = await Promise.all(
        open.map(async (approval) => {
          const session = await store.getSession(approval.sessionId);
          // It was deleted in the meantime, or is about to be.
          if (session === undefined || (await deletions.includes(session))) return [];
          if (!(await gate.sees(access, session.id))) return [];
          const parent = await parentOf(session);
          return [{ ...(await withScope(approval, session)), title: session.title, parent }];
        }),
      );
      return { approvals: listed.flat().slice(0, MAX_OPEN) };
    },

    async listApprovals({ params: { sessionId }, query: { open } }) {
      const found = await approvals.list(sessionId, { open: open === 'true' });
      const session = await runs.existing(sessionId);
      return { approvals: await Promise.all(found.map((approval) => withScope(approval, session))) };
    },

    async answerApproval({ params: { sessionId, callId }, body: { answer, reason, content, handle } }) {
      return {
        ok: true,
        ...(await approvals.answer(sessionId, callId, { answer, reason, content, handle })),
      };
    },
  };
}
