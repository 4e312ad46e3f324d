import { type ErrorCode, LonghaulError } from '@longhaul/protocol';
import type { Server } from '../data/server.ts';

type QueueServer = Pick<Server, 'token'>;

/** Moves a waiting message. Position 1 is next. */
export function moveQueued(
  server: QueueServer,
  { sessionId, messageId, position }: { sessionId: string; messageId: string; position: number },
): Promise<void> {
  return post(server, { sessionId, messageId, operation: 'move', body: { position } });
}

/** Delivers a waiting message now: the running step ends, and a run starts that gets the message. */
export function sendQueued(
  server: QueueServer,
  { sessionId, messageId }: { sessionId: string; messageId: string },
): Promise<void> {
  return post(server, { sessionId, messageId, operation: 'send', body: {} });
}

async function post(
  { token }: QueueServer,
  {
    sessionId,
    messageId,
    operation,
    body,
  }: { sessionId: string; messageId: string; operation: string; body: object },
): Promise<void> {
  const path = ['sessions', sessionId, 'queue', messageId, operation].map(encodeURIComponent).join('/');
  const response = await fetch(`/api/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (response.ok) return;
  const { error } = (await response.json().catch(() => ({}))) as {
    error?: { code?: ErrorCode; message?: string };
  };
  throw new LonghaulError(
    error?.code ?? 'internal',
    error?.message ?? `The server answered ${response.status}.`,
  );
}
