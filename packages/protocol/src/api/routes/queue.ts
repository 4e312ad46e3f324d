import { okBody, queuedMessageParams, sessionParams } from '../common.ts';
import { clearedQueueSchema, editQueuedBody, queueQuery, queueSchema } from '../messages.ts';
import type { ApiRoute } from '../route.ts';
import { SESSION } from './shared.ts';

export const queueRoutes = {
  listQueue: {
    method: 'GET',
    path: '/api/message/queue',
    tag: 'queue',
    summary: 'List the queued messages, with the session id in the query',
    query: queueQuery,
    status: 200,
    response: queueSchema,
    errors: ['session_not_found'],
  },
  clearQueue: {
    method: 'DELETE',
    path: '/api/message/queue',
    tag: 'queue',
    summary: 'Remove all queued messages, with the session id in the query',
    query: queueQuery,
    status: 200,
    response: clearedQueueSchema,
    errors: ['session_not_found'],
  },
  listSessionQueue: {
    method: 'GET',
    path: `${SESSION}/queue`,
    tag: 'queue',
    summary: 'List the queued messages',
    params: sessionParams,
    status: 200,
    response: queueSchema,
    errors: ['session_not_found'],
  },
  clearSessionQueue: {
    method: 'DELETE',
    path: `${SESSION}/queue`,
    tag: 'queue',
    summary: 'Remove all queued messages',
    params: sessionParams,
    status: 200,
    response: clearedQueueSchema,
    errors: ['session_not_found'],
  },
  editQueued: {
    method: 'PUT',
    path: `${SESSION}/queue/{messageId}`,
    tag: 'queue',
    summary: 'Edit a queued message',
    params: queuedMessageParams,
    body: editQueuedBody,
    bodyLimit: 'upload',
    status: 200,
    response: okBody,
    errors: ['session_not_found', 'not_found', 'blob_not_found', 'input_unsupported'],
  },
  removeQueued: {
    method: 'DELETE',
    path: `${SESSION}/queue/{messageId}`,
    tag: 'queue',
    summary: 'Remove a queued message',
    params: queuedMessageParams,
    status: 200,
    response: okBody,
    errors: ['session_not_found', 'not_found'],
  },
} as const satisfies Record<string, ApiRoute>;
