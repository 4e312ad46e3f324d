import type { NewAnswer, NewApproval } from '@longhaul/core';
import type { Approval } from '@longhaul/protocol';
import { and, asc, eq, getColumns, isNull, sql } from 'drizzle-orm';
import { toApproval } from '../../shared/approval-rows.ts';
import type { Db } from '../connection.ts';
import { approvals, heads } from '../schema.ts';

/** The order of the calls in the log: by message, then by part. The number in `m12.3` is 12. */
const BY_POSITION = [
  asc(sql`substring(${approvals.handle} FROM '^.(\\d+)')::bigint`),
  asc(sql`length(${approvals.handle})`),
  asc(sql`${approvals.handle} COLLATE "C"`),
];

const ofSession = (sessionId: string) => eq(approvals.sessionId, sessionId);
const at = (sessionId: string, handle: string) => and(ofSession(sessionId), eq(approvals.handle, handle));

export async function findApproval(db: Db, sessionId: string, handle: string): Promise<Approval | undefined> {
  const [row] = await db.select().from(approvals).where(at(sessionId, handle));
  return row === undefined ? undefined : toApproval(row);
}

export async function addApproval(
  db: Db,
  sessionId: string,
  { request: { args, callId, handle, toolName }, now }: { request: NewApproval; now: number },
): Promise<Approval> {
  const row = { callId, handle, toolName, sessionId, requestedAt: now };
  await db.insert(approvals).values({ ...row, args: JSON.stringify(args) });
  return { ...row, args };
}

/** Returns at most two approvals, which is enough to detect that the call id is ambiguous. */
export async function approvalsOfCall(
  db: Db,
  sessionId: string,
  { callId, handle }: { callId: string; handle: string | undefined },
): Promise<Approval[]> {
  const wanted = handle === undefined ? ofSession(sessionId) : at(sessionId, handle);
  const rows = await db
    .select()
    .from(approvals)
    .where(and(wanted, eq(approvals.callId, callId)))
    .limit(2);
  return rows.map(toApproval);
}

export async function answerApproval(
  db: Db,
  approval: Approval,
  { answer: { content, ...answer }, now }: { answer: Omit<NewAnswer, 'handle'>; now: number },
): Promise<Approval> {
  const change = { ...answer, answeredAt: now };
  const written = content === undefined ? {} : { content: JSON.stringify(content) };
  await db
    .update(approvals)
    .set({ ...change, ...written })
    .where(at(approval.sessionId, approval.handle));
  return { ...approval, ...change, ...(content !== undefined && { content }) };
}

/** Sessions whose deletion is not complete have no head. */
export async function listOpenApprovals(db: Db, limit: number): Promise<Approval[]> {
  const rows = await db
    .select(getColumns(approvals))
    .from(approvals)
    .innerJoin(heads, eq(heads.sessionId, approvals.sessionId))
    .where(isNull(approvals.answeredAt))
    .orderBy(asc(approvals.requestedAt), asc(approvals.sessionId), ...BY_POSITION)
    .limit(limit);
  return rows.map(toApproval);
}

export async function listApprovals(
  db: Db,
  sessionId: string,
  { open = false }: { open?: boolean },
): Promise<Approval[]> {
  const wanted = open ? and(ofSession(sessionId), isNull(approvals.answeredAt)) : ofSession(sessionId);
  const rows = await db
    .select()
    .from(approvals)
    .where(wanted)
    .orderBy(...BY_POSITION);
  return rows.map(toApproval);
}
