import { sessionParams } from '../common.ts';
import {
  conversationTreeSchema,
  diffQuery,
  diffSchema,
  revertBody,
  revertResultSchema,
  unrevertBody,
} from '../files.ts';
import type { ApiRoute } from '../route.ts';
import { SESSION } from './shared.ts';

export const fileRoutes = {
  getDiff: {
    method: 'GET',
    path: `${SESSION}/diff`,
    tag: 'files',
    summary: 'Show what the session, a turn or a step changed in the workspace',
    params: sessionParams,
    query: diffQuery,
    status: 200,
    response: diffSchema,
    errors: ['session_not_found', 'not_found'],
  },
  revert: {
    method: 'POST',
    path: `${SESSION}/revert`,
    tag: 'files',
    summary: 'Restore files and conversation as they were before a message. A run is cancelled',
    params: sessionParams,
    body: revertBody,
    status: 200,
    response: revertResultSchema,
    errors: ['session_not_found', 'session_busy', 'not_found', 'invalid_request'],
  },
  unrevert: {
    method: 'POST',
    path: `${SESSION}/unrevert`,
    tag: 'files',
    summary: 'Take the newest revert back',
    params: sessionParams,
    body: unrevertBody,
    status: 200,
    response: revertResultSchema,
    errors: ['session_not_found', 'session_busy', 'not_found', 'invalid_request'],
  },
  getTree: {
    method: 'GET',
    path: `${SESSION}/tree`,
    tag: 'files',
    summary: 'List the branches of the conversation',
    params: sessionParams,
    status: 200,
    response: conversationTreeSchema,
    errors: ['session_not_found'],
  },
} as const satisfies Record<string, ApiRoute>;
