import type { Approval, JsonObject, JsonValue } from '@longhaul/protocol';
import { parseColumn, withoutNulls } from './json.ts';

export interface ApprovalRow {
  sessionId: string;
  handle: string;
  callId: string;
  toolName: string;
  args: string;
  requestedAt: number;
  answeredAt: number | null;
  answer: 'once' | 'always' | 'deny' | null;
  reason: string | null;
  content: string | null;
}

export function toApproval({ args, content, ...row }: ApprovalRow): Approval {
  const id = `${row.sessionId}/${row.handle}`;
  const place = { table: 'approvals', id } as const;
  return {
    ...withoutNulls(row),
    args: parseColumn<JsonValue>(args, place),
    ...(content !== null && { content: parseColumn<JsonObject>(content, place) }),
  };
}
