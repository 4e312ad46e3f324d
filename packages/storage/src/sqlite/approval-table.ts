import type { NewAnswer, NewApproval } from '@longhaul/core';
import type { Approval } from '@longhaul/protocol';
import { and, asc, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import { toApproval } from '../shared/approval-rows.ts';
import type { Drizzle } from './connection.ts';
import { approvals, heads } from './schema.ts';

/** The order of the calls in the log: by message, then by part. `m12.3` casts to 12. */
const BY_POSITION = [
  asc(sql`CAST(substr(${approvals.handle}, 2) AS INTEGER)`),
  asc(sql`length(${approvals.handle})`),
  asc(approvals.handle),
];

export function createApprovalTable(db: Drizzle, now: () => number) {
  const ofSession = (sessionId: string) => eq(approvals.sessionId, sessionId);
  const at = (sessionId: string, handle: string) => and(ofSession(sessionId), eq(approvals.handle, handle));

  function find(sessionId: string, handle: string): Approval | undefined {
    const row = db.select().from(approvals).where(at(sessionId, handle)).get();
    return row === undefined ? undefined : toApproval(row);
  }

  return {
    find,

    add(sessionId: string, { args, ...request }: NewApproval): Approval {
      const row = { ...request, sessionId, args: JSON.stringify(args), requestedAt: now() };
      db.insert(approvals).values(row).run();
      return { ...row, args };
    },

    /** Returns at most two approvals, which is enough to detect that the call id is ambiguous. */
    ofCall(sessionId: string, callId: string, handle?: string): Approval[] {
      const wanted = handle === undefined ? ofSession(sessionId) : at(sessionId, handle);
      const rows = db
        .select()
        .from(approvals)
        .where(and(wanted, eq(approvals.callId, callId)))
        .limit(2);
      return rows.all().map(toApproval);
    },

    answer(
      approval: Approval,
      { content, ...answer }: Pick<NewAnswer, 'answer' | 'reason' | 'content'>,
    ): Approval {
      const change = { ...answer, answeredAt: now() };
      const written = content === undefined ? {} : { content: JSON.stringify(content) };
      db.update(approvals)
        .set({ ...change, ...written })
        .where(at(approval.sessionId, approval.handle))
        .run();
      return { ...approval, ...change, ...(content !== undefined && { content }) };
    },

    /** Sessions whose deletion is not complete have no head. */
    listOpen(limit: number): Approval[] {
      const rows = db
        .select(getTableColumns(approvals))
        .from(approvals)
        .innerJoin(heads, eq(heads.sessionId, approvals.sessionId))
        .where(isNull(approvals.answeredAt))
        .orderBy(asc(approvals.requestedAt))
        .limit(limit);
      return rows.all().map(toApproval);
    },

    list(sessionId: string, { open = false }: { open?: boolean }): Approval[] {
      const wanted = open ? and(ofSession(sessionId), isNull(approvals.answeredAt)) : ofSession(sessionId);
      const rows = db
        .select()
        .from(approvals)
        .where(wanted)
        .orderBy(...BY_POSITION);
      return rows.all().map(toApproval);
    },
  };
}
