import { listMessages, sessionOrigin } from '@longhaul/core';
import { LonghaulError, parseBlobReference } from '@longhaul/protocol';
import { type SendMessageBody, toContentParts } from '@longhaul/protocol/api';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'sendMessage' | 'postMessage' | 'listMessages' | 'cancel' | 'resume';

export function messageHandlers({ runtime, store, blobs, runs }: HandlerContext): Pick<RouteHandlers, Names> {
  async function send(
    sessionId: string,
    { content, id, metadata, tools, from }: SendMessageBody,
    key: string | undefined,
  ) {
    if (id !== undefined && key !== undefined && id !== key) {
      throw new LonghaulError(
        'invalid_request',
        'The id in the body and the header Idempotency-Key differ. Send only one of them, or the same value in both.',
      );
    }
    const parts = toContentParts(content);
    await assertBlobs(blobs, parts);
    const origin =
      from === undefined ? undefined : sessionOrigin(await runs.existing(from), { id: sessionId });
    const answer = await runs.send(sessionId, { content: parts, id: id ?? key, metadata, tools, origin });
    return runs.isStopping ? Response.json(answer, { status: 202 }) : answer;
  }

  return {
    sendMessage: ({ params: { sessionId }, body, headers }) =>
      send(sessionId, body, headers['idempotency-key']),

    postMessage: ({ body: { sessionId, ...body }, headers }) =>
      send(sessionId, body, headers['idempotency-key']),

    listMessages: ({ params: { sessionId }, query }) => listMessages(store, sessionId, query),

    async cancel({ params: { sessionId }, body }) {
      const { wasRunning, ...result } = await runtime.cancel(sessionId, body);
      return { ok: true, cancelled: wasRunning, ...result };
    },

    async resume({ params: { sessionId } }) {
      await runs.existing(sessionId);
      if (await runs.isDriven(sessionId)) {
        throw new LonghaulError(
          'session_busy',
          'The session has an active run, so there is nothing to resume.',
        );
      }
      const runId = await runs.start(sessionId);
      return { ok: true, runId };
    },
  };
}

/**
 * Checks that the blobs of a message exist. Without this check, the message would only fail later, during the run.
 *
 * @throws {LonghaulError} `blob_not_found`
 */
export async function assertBlobs(
  blobs: HandlerContext['blobs'],
  parts: ReturnType<typeof toContentParts>,
): Promise<void> {
  for (const part of parts) {
    const id = part.type === 'text' ? undefined : parseBlobReference(part.data);
    if (id === undefined || (await blobs.stat(id)) !== undefined) continue;
    throw new LonghaulError('blob_not_found', `There is no blob ${id}. Send the bytes in base64 instead.`);
  }
}
