import { API_ROUTES, type ApiRoute, type OperationName } from '@longhaul/protocol/api';
import type { TestServer } from './test-server.ts';

/** A valid request for an operation. Tests make it invalid. */
export interface Example {
  name: OperationName;
  route: ApiRoute;
  method: string;
  path: string;
  body?: string;
  contentType?: string;
  streams: boolean;
}

/** The media type of the operation's body. */
const JSON_TYPE = 'application/json';

const BODIES: Partial<Record<OperationName, (sessionId: string) => unknown>> = {
  createSession: () => ({ title: 'x' }),
  updateSession: () => ({ title: 'y' }),
  forkSession: () => ({}),
  sendMessage: () => ({ content: 'hello' }),
  postMessage: (sessionId) => ({ sessionId, content: 'hello' }),
  cancel: () => ({}),
  resume: () => ({}),
  editQueued: () => ({ content: 'other' }),
  compact: () => ({ preview: true }),
  undo: () => ({}),
  pin: () => ({ target: 'm1' }),
  unpin: () => ({ target: 'm1' }),
  revert: () => ({ target: 'm1' }),
  putSettings: () => ({ compression: {} }),
  answerApproval: () => ({ answer: 'once' }),
  createPageSession: () => ({}),
  moveQueued: () => ({ position: 1 }),
  sendQueued: () => ({}),
  restoreSession: () => ({}),
  chatCompletion: () => ({ model: 'agent/coder', messages: [{ role: 'user', content: 'hi' }] }),
  chat: (sessionId) => ({
    id: `chat-${sessionId}`,
    messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  }),
};

const QUERIES: Partial<Record<OperationName, string>> = { search: '?q=x', readFile: '?path=x' };

/** Returns a valid request for each operation, with this session and this blob. */
export function exampleRequests({ sessionId, blobId }: { sessionId: string; blobId: string }): Example[] {
  const values: Record<string, string> = {
    sessionId,
    blobId,
    messageId: 'absent',
    callId: 'absent',
    compactionId: 'absent',
    chatId: 'absent',
    model: 'agent%2Fcoder',
  };
  return Object.entries<ApiRoute>(API_ROUTES).map(([key, route]) => {
    // The keys of API_ROUTES are operation names.
    const name = key as OperationName;
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => values[param] ?? '');
    const query =
      name === 'listQueue' || name === 'clearQueue' ? `?sessionId=${sessionId}` : (QUERIES[name] ?? '');
    const body = route.consumes !== undefined ? 'bytes' : BODIES[name]?.(sessionId);
    return {
      name,
      route,
      method: route.method,
      path: path + query,
      streams: route.produces === 'text/event-stream',
      ...(body === undefined
        ? {}
        : {
            body: typeof body === 'string' ? body : JSON.stringify(body),
            contentType: route.consumes?.[0] ?? JSON_TYPE,
          }),
    };
  });
}

export function send(
  server: TestServer,
  example: Example,
  change: {
    headers?: Record<string, string>;
    body?: string | Uint8Array<ArrayBuffer>;
    token?: string | null;
  } = {},
): Promise<Response> {
  const body = change.body ?? example.body;
  return server.fetch(example.path, {
    method: example.method,
    body,
    headers: {
      ...(example.contentType === undefined ? {} : { 'content-type': example.contentType }),
      ...change.headers,
    },
    token: change.token,
  });
}
