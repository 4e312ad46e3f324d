import { ADDRESSES } from '../addresses.ts';
import { emptyBody, sessionParams } from '../common.ts';
import {
  cancelBody,
  cancelResultSchema,
  idempotencyHeaders,
  listMessagesQuery,
  messagePageSchema,
  postMessageBody,
  resumeResultSchema,
  sendMessageBody,
  sendResultSchema,
} from '../messages.ts';
import type { ApiRoute } from '../route.ts';

export const messageRoutes = {
  sendMessage: {
    ...ADDRESSES.sendMessage,
    tag: 'messages',
    summary: 'Send a message: starts a run, or queues the message for the next step of the active run',
    params: sessionParams,
    headers: idempotencyHeaders,
    body: sendMessageBody,
    bodyLimit: 'upload',
    status: 200,
    laterStatus: 202,
    response: sendResultSchema,
    errors: ['session_not_found', 'queue_full', 'blob_not_found', 'input_unsupported', 'shutting_down'],
  },
  postMessage: {
    ...ADDRESSES.postMessage,
    tag: 'messages',
    summary: 'Send a message, with the session id in the body',
    headers: idempotencyHeaders,
    body: postMessageBody,
    bodyLimit: 'upload',
    status: 200,
    laterStatus: 202,
    response: sendResultSchema,
    errors: ['session_not_found', 'queue_full', 'blob_not_found', 'input_unsupported', 'shutting_down'],
  },
  listMessages: {
    ...ADDRESSES.listMessages,
    tag: 'messages',
    summary: 'List messages, and which of them the model no longer sees',
    description:
      'Without `before` and `after`, the newest page. `before` with the first sequence of a page returns the previous page.',
    params: sessionParams,
    query: listMessagesQuery,
    status: 200,
    response: messagePageSchema,
    errors: ['session_not_found'],
  },
  cancel: {
    ...ADDRESSES.cancel,
    tag: 'messages',
    summary: 'Cancel the active run. Its messages are kept',
    params: sessionParams,
    body: cancelBody,
    status: 200,
    response: cancelResultSchema,
    errors: ['session_not_found', 'process_hung'],
  },
  resume: {
    ...ADDRESSES.resume,
    tag: 'messages',
    summary: 'Resume an interrupted run, or deliver the queued messages',
    params: sessionParams,
    body: emptyBody,
    status: 200,
    response: resumeResultSchema,
    errors: ['session_not_found', 'session_busy', 'shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;
