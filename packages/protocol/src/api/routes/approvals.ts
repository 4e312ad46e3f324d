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
import { SESSION } from './shared.ts';

export const approvalRoutes = {
  listOpenApprovals: {
    method: 'GET',
    path: '/api/approvals',
    tag: 'approvals',
    summary: 'List the approval requests of all sessions that have no answer',
    status: 200,
    response: inboxSchema,
  },
  listApprovals: {
    method: 'GET',
    path: `${SESSION}/approvals`,
    tag: 'approvals',
    summary: 'List the approval requests of a session',
    params: sessionParams,
    query: approvalsQuery,
    status: 200,
    response: approvalsSchema,
    errors: ['session_not_found'],
  },
  answerApproval: {
    method: 'POST',
    path: `${SESSION}/approvals/{callId}`,
    tag: 'approvals',
    summary: 'Approve or refuse a tool call. Only the first answer counts',
    params: approvalParams,
    body: answerApprovalBody,
    status: 200,
    response: answeredApprovalSchema,
    errors: ['session_not_found', 'not_found'],
  },
} as const satisfies Record<string, ApiRoute>;
