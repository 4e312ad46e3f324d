import { z } from 'zod';
import {
  answerApprovalBody,
  answeredApprovalSchema,
  approvalParams,
  approvalsQuery,
  approvalsSchema,
} from './approvals.ts';
import { chatBody, chatChunkSchema, chatMessagesQuery, chatMessagesSchema, chatParams } from './chat.ts';
import { emptyBody, okBody, queuedMessageParams, sessionParams } from './common.ts';
import {
  compactBody,
  compactResultSchema,
  contextQuery,
  contextReportSchema,
  pinBody,
  pinResultSchema,
  undoResultSchema,
} from './context.ts';
import { eventSchema, eventsHeaders, eventsQuery } from './events.ts';
import {
  cancelBody,
  cancelResultSchema,
  clearedQueueSchema,
  editQueuedBody,
  idempotencyHeaders,
  listMessagesQuery,
  messagePageSchema,
  postMessageBody,
  queueQuery,
  queueSchema,
  resumeResultSchema,
  searchQuery,
  searchResultSchema,
  sendMessageBody,
  sendResultSchema,
} from './messages.ts';
import {
  agentModelParams,
  agentModelSchema,
  agentModelsSchema,
  chatCompletionBody,
  chatCompletionHeaders,
  chatCompletionSchema,
} from './openai.ts';
import type { ApiRoute } from './route.ts';
import {
  blobParams,
  blobQuery,
  exportSchema,
  healthSchema,
  importQuery,
  importResultSchema,
  readySchema,
} from './service.ts';
import {
  createSessionBody,
  forkSessionBody,
  listSessionsQuery,
  sessionDetailSchema,
  sessionInfoSchema,
  sessionPageSchema,
  updateSessionBody,
} from './sessions.ts';
import { modelsSchema, settingsBody, settingsSchema } from './settings.ts';

const SESSION = '/api/sessions/{sessionId}';

const sessions = {
  createSession: {
    method: 'POST',
    path: '/api/sessions',
    tag: 'sessions',
    summary: 'Create a session',
    body: createSessionBody,
    status: 201,
    response: sessionInfoSchema,
    errors: ['workspace_not_allowed', 'model_not_configured', 'unknown_model', 'unknown_agent'],
  },
  listSessions: {
    method: 'GET',
    path: '/api/sessions',
    tag: 'sessions',
    summary: 'List sessions, the newest first',
    query: listSessionsQuery,
    status: 200,
    response: sessionPageSchema,
    errors: ['session_not_found'],
  },
  getSession: {
    method: 'GET',
    path: SESSION,
    tag: 'sessions',
    summary: 'One session, and how it stands',
    params: sessionParams,
    status: 200,
    response: sessionDetailSchema,
    errors: ['session_not_found'],
  },
  updateSession: {
    method: 'PATCH',
    path: SESSION,
    tag: 'sessions',
    summary: 'Change title, model or metadata',
    params: sessionParams,
    body: updateSessionBody,
    status: 200,
    response: sessionInfoSchema,
    errors: ['session_not_found', 'unknown_model'],
  },
  deleteSession: {
    method: 'DELETE',
    path: SESSION,
    tag: 'sessions',
    summary: 'Delete a session that nobody works on',
    params: sessionParams,
    status: 204,
    errors: ['session_not_found', 'session_busy'],
  },
  forkSession: {
    method: 'POST',
    path: `${SESSION}/fork`,
    tag: 'sessions',
    summary: 'A new session that goes on from a message of this one',
    params: sessionParams,
    body: forkSessionBody,
    status: 201,
    response: sessionInfoSchema,
    errors: ['session_not_found', 'not_found'],
  },
  search: {
    method: 'GET',
    path: '/api/search',
    tag: 'sessions',
    summary: 'Find words in what was said and done',
    query: searchQuery,
    status: 200,
    response: searchResultSchema,
  },
} as const satisfies Record<string, ApiRoute>;

const messages = {
  sendMessage: {
    method: 'POST',
    path: `${SESSION}/messages`,
    tag: 'messages',
    summary: 'Send a message: starts a run, or waits for the next step of the one under way',
    params: sessionParams,
    headers: idempotencyHeaders,
    body: sendMessageBody,
    bodyLimit: 'upload',
    status: 200,
    response: sendResultSchema,
    errors: ['session_not_found', 'queue_full', 'blob_not_found', 'shutting_down'],
  },
  postMessage: {
    method: 'POST',
    path: '/api/message',
    tag: 'messages',
    summary: 'The same, with the session in the body',
    headers: idempotencyHeaders,
    body: postMessageBody,
    bodyLimit: 'upload',
    status: 200,
    response: sendResultSchema,
    errors: ['session_not_found', 'queue_full', 'blob_not_found', 'shutting_down'],
  },
  listMessages: {
    method: 'GET',
    path: `${SESSION}/messages`,
    tag: 'messages',
    summary: 'What was said and done, and what of it the model no longer sees',
    description: 'Without `after`, the newest page; `before` with its first sequence gives the one before.',
    params: sessionParams,
    query: listMessagesQuery,
    status: 200,
    response: messagePageSchema,
    errors: ['session_not_found'],
  },
  cancel: {
    method: 'POST',
    path: `${SESSION}/cancel`,
    tag: 'messages',
    summary: 'Stop the run. What was said stays',
    params: sessionParams,
    body: cancelBody,
    status: 200,
    response: cancelResultSchema,
    errors: ['session_not_found'],
  },
  resume: {
    method: 'POST',
    path: `${SESSION}/resume`,
    tag: 'messages',
    summary: 'Go on where a run was interrupted, or with what waits',
    params: sessionParams,
    body: emptyBody,
    status: 200,
    response: resumeResultSchema,
    errors: ['session_not_found', 'session_busy', 'shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;

const queue = {
  listQueue: {
    method: 'GET',
    path: '/api/message/queue',
    tag: 'queue',
    summary: 'Messages that wait',
    query: queueQuery,
    status: 200,
    response: queueSchema,
    errors: ['session_not_found'],
  },
  clearQueue: {
    method: 'DELETE',
    path: '/api/message/queue',
    tag: 'queue',
    summary: 'Drop all that wait',
    query: queueQuery,
    status: 200,
    response: clearedQueueSchema,
    errors: ['session_not_found'],
  },
  listSessionQueue: {
    method: 'GET',
    path: `${SESSION}/queue`,
    tag: 'queue',
    summary: 'Messages that wait',
    params: sessionParams,
    status: 200,
    response: queueSchema,
    errors: ['session_not_found'],
  },
  clearSessionQueue: {
    method: 'DELETE',
    path: `${SESSION}/queue`,
    tag: 'queue',
    summary: 'Drop all that wait',
    params: sessionParams,
    status: 200,
    response: clearedQueueSchema,
    errors: ['session_not_found'],
  },
  editQueued: {
    method: 'PUT',
    path: `${SESSION}/queue/{messageId}`,
    tag: 'queue',
    summary: 'Change one that waits',
    params: queuedMessageParams,
    body: editQueuedBody,
    bodyLimit: 'upload',
    status: 200,
    response: okBody,
    errors: ['session_not_found', 'not_found', 'blob_not_found'],
  },
  removeQueued: {
    method: 'DELETE',
    path: `${SESSION}/queue/{messageId}`,
    tag: 'queue',
    summary: 'Remove one that waits',
    params: queuedMessageParams,
    status: 200,
    response: okBody,
    errors: ['session_not_found', 'not_found'],
  },
} as const satisfies Record<string, ApiRoute>;

const context = {
  getContext: {
    method: 'GET',
    path: `${SESSION}/context`,
    tag: 'context',
    summary: 'What fills the window',
    params: sessionParams,
    query: contextQuery,
    status: 200,
    response: contextReportSchema,
    errors: ['session_not_found'],
  },
  compact: {
    method: 'POST',
    path: `${SESSION}/compact`,
    tag: 'context',
    summary: 'Make room now, or say what that would do',
    params: sessionParams,
    body: compactBody,
    status: 200,
    response: compactResultSchema,
    errors: ['session_not_found', 'window_unknown', 'context_exhausted'],
  },
  undo: {
    method: 'POST',
    path: `${SESSION}/undo`,
    tag: 'context',
    summary: 'Take the newest compaction back',
    params: sessionParams,
    body: emptyBody,
    status: 200,
    response: undoResultSchema,
    errors: ['session_not_found', 'session_busy'],
  },
  pin: {
    method: 'POST',
    path: `${SESSION}/pin`,
    tag: 'context',
    summary: 'Keep a message in view, whatever is compacted',
    params: sessionParams,
    body: pinBody,
    status: 200,
    response: pinResultSchema,
    errors: ['session_not_found', 'session_busy', 'not_found'],
  },
  unpin: {
    method: 'POST',
    path: `${SESSION}/unpin`,
    tag: 'context',
    summary: 'Let compactions hide it again',
    params: sessionParams,
    body: pinBody,
    status: 200,
    response: pinResultSchema,
    errors: ['session_not_found', 'session_busy', 'not_found'],
  },
} as const satisfies Record<string, ApiRoute>;

const STREAM = 'text/event-stream';

const events = {
  sessionEvents: {
    method: 'GET',
    path: `${SESSION}/events`,
    tag: 'events',
    summary: 'Events of a session: all since a number, then live',
    description:
      'Server-sent events. `id` is the number of an event; parts of an answer (`llm:chunk`) have none. Without a number, only what comes from now on, after the text of the answer under way.',
    params: sessionParams,
    query: eventsQuery,
    headers: eventsHeaders,
    status: 200,
    produces: STREAM,
    response: eventSchema,
    errors: ['session_not_found', 'shutting_down'],
  },
  allEvents: {
    method: 'GET',
    path: '/api/events',
    tag: 'events',
    summary: 'Events of all runs of this server, live only',
    status: 200,
    produces: STREAM,
    response: eventSchema,
    errors: ['shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;

const approvals = {
  listApprovals: {
    method: 'GET',
    path: `${SESSION}/approvals`,
    tag: 'approvals',
    summary: 'Calls that somebody was asked to approve',
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
    summary: 'Approve a call, or refuse it. The first answer holds',
    params: approvalParams,
    body: answerApprovalBody,
    status: 200,
    response: answeredApprovalSchema,
    errors: ['session_not_found', 'not_found'],
  },
} as const satisfies Record<string, ApiRoute>;

const chat = {
  chat: {
    method: 'POST',
    path: '/api/chat',
    tag: 'chat',
    summary: 'For useChat of the AI SDK: sends the newest message, and streams the answer as a UI message',
    body: chatBody,
    bodyLimit: 'upload',
    status: 200,
    produces: STREAM,
    response: chatChunkSchema,
    errors: ['queue_full', 'shutting_down'],
  },
  chatMessages: {
    method: 'GET',
    path: '/api/chat/{chatId}',
    tag: 'chat',
    summary: 'What a chat holds, as UI messages to begin a page with',
    description:
      'Of an answer under way, what is stored so far: its stream, which begins anew, takes that message’s place. Empty for a chat whose first message has not come.',
    params: chatParams,
    query: chatMessagesQuery,
    status: 200,
    response: chatMessagesSchema,
  },
  chatStream: {
    method: 'GET',
    path: '/api/chat/{chatId}/stream',
    tag: 'chat',
    summary: 'The answer under way, from its beginning; 204 when there is none',
    params: chatParams,
    status: 200,
    produces: STREAM,
    response: chatChunkSchema,
    errors: ['shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;

const openai = {
  listAgentModels: {
    method: 'GET',
    path: '/v1/models',
    tag: 'openai',
    summary: 'The agents, as models of OpenAI’s API',
    status: 200,
    response: agentModelsSchema,
  },
  getAgentModel: {
    method: 'GET',
    path: '/v1/models/{model}',
    tag: 'openai',
    summary: 'One of them',
    params: agentModelParams,
    status: 200,
    response: agentModelSchema,
    errors: ['model_not_found'],
  },
  chatCompletion: {
    method: 'POST',
    path: '/v1/chat/completions',
    tag: 'openai',
    summary: 'A whole turn of an agent, with its tools, as one chat completion',
    description:
      'With `stream: true`, server-sent events of `chat.completion.chunk`, and `[DONE]`. The conversation is found again by the messages before the newest ones.',
    headers: chatCompletionHeaders,
    body: chatCompletionBody,
    bodyLimit: 'upload',
    status: 200,
    response: chatCompletionSchema,
    errors: ['model_not_found', 'rate_limited', 'shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;

const transfer = {
  exportSession: {
    method: 'GET',
    path: `${SESSION}/export`,
    tag: 'transfer',
    summary: 'All there is of a session',
    params: sessionParams,
    status: 200,
    response: exportSchema,
    errors: ['session_not_found'],
  },
  importSession: {
    method: 'POST',
    path: '/api/import',
    tag: 'transfer',
    summary: 'Make a session of a recorded file, of any format that longhaul import knows',
    query: importQuery,
    // No `text/plain`: a page of another site may send that without asking.
    consumes: ['application/octet-stream', 'application/json', 'application/x-ndjson'],
    bodyLimit: 'upload',
    status: 201,
    response: importResultSchema,
    errors: ['invalid_request', 'workspace_not_allowed'],
  },
  getBlob: {
    method: 'GET',
    path: '/blobs/{blobId}',
    tag: 'transfer',
    summary: 'Bytes of an image, a file, or the whole of a cut output',
    params: blobParams,
    query: blobQuery,
    status: 200,
    produces: 'application/octet-stream',
    response: z.file(),
    errors: ['blob_not_found'],
  },
} as const satisfies Record<string, ApiRoute>;

const service = {
  listModels: {
    method: 'GET',
    path: '/api/models',
    tag: 'service',
    summary: 'Models that a session can name here',
    status: 200,
    response: modelsSchema,
  },
  getSettings: {
    method: 'GET',
    path: '/api/settings',
    tag: 'service',
    summary: 'How contexts are compacted',
    status: 200,
    response: settingsSchema,
  },
  putSettings: {
    method: 'PUT',
    path: '/api/settings',
    tag: 'service',
    summary: 'Change it, from the next run on',
    body: settingsBody,
    status: 200,
    response: settingsSchema,
    errors: ['config_invalid', 'unknown_model'],
  },
  healthz: {
    method: 'GET',
    path: '/healthz',
    tag: 'service',
    summary: 'The process lives',
    status: 200,
    response: healthSchema,
    isPublic: true,
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    tag: 'service',
    summary: 'It takes runs; 503 when it does not',
    status: 200,
    response: readySchema,
    isPublic: true,
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    tag: 'service',
    summary: 'Figures for Prometheus',
    status: 200,
    produces: 'text/plain',
    response: z.string(),
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'service',
    summary: 'This description',
    status: 200,
    response: z.looseObject({ openapi: z.string() }),
  },
} as const satisfies Record<string, ApiRoute>;

/** Every operation of the HTTP API, by its name. */
export const API_ROUTES = {
  ...sessions,
  ...messages,
  ...queue,
  ...context,
  ...events,
  ...approvals,
  ...chat,
  ...openai,
  ...transfer,
  ...service,
} as const;

export type ApiRoutes = typeof API_ROUTES;
export type OperationName = keyof ApiRoutes;

type Parsed<Name extends OperationName, Key extends string> =
  ApiRoutes[Name] extends Record<Key, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;
type Unparsed<Name extends OperationName, Key extends string> =
  ApiRoutes[Name] extends Record<Key, infer Schema extends z.ZodType> ? z.input<Schema> : undefined;

/** What the server has of a request, once it is checked. */
export type ParamsOf<Name extends OperationName> = Parsed<Name, 'params'>;
export type QueryOf<Name extends OperationName> = Parsed<Name, 'query'>;
export type HeadersOf<Name extends OperationName> = Parsed<Name, 'headers'>;
export type BodyOf<Name extends OperationName> = Parsed<Name, 'body'>;
export type ResponseOf<Name extends OperationName> = Parsed<Name, 'response'>;

/** What a client sends. */
export type QueryInputOf<Name extends OperationName> = Unparsed<Name, 'query'>;
export type BodyInputOf<Name extends OperationName> = Unparsed<Name, 'body'>;
