import { ADDRESSES } from '../addresses.ts';
import {
  answerApprovalBody,
  answeredApprovalSchema,
  approvalParams,
  approvalsQuery,
  approvalsSchema,
  inboxSchema,
} from '../approvals.ts';
import { sessionParams } from '../common.ts';
import type { ApiRoute } from '../route.ts';

export const approvalRoutes = {
  listOpenApprovals: {
    ...ADDRESSES.listOpenApprovals,
    tag: 'approvals',
    summary: 'List the approval requests of all sessions that have no answer',
    status: 200,
    response: inboxSchema,
  },
  listApprovals: {
    ...ADDRESSES.listApprovals,
    tag: 'approvals',
    summary: 'List the approval requests of a session',
    params: sessionParams,
    query: approvalsQuery,
    status: 200,
    response: approvalsSchema,
    errors: ['session_not_found'],
  },
  answerApproval: {
    ...ADDRESSES.answerApproval,
    tag: 'approvals',
    summary: 'Approve or refuse a tool call. Only the first answer counts',
    params: approvalParams,
    body: answerApprovalBody,
    status: 200,
    response: answeredApprovalSchema,
    errors: ['session_not_found', 'not_found'],
  },
} as const satisfies Record<string, ApiRoute>;
