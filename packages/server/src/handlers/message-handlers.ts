import { listMessages, sessionOrigin } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { type SendMessageBody, toContentParts } from '@longhaul/protocol/api';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { Access } from '../safety/access.ts';
import { assertBlobs } from './assert-blobs.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'sendMessage' | 'postMessage' | 'listMessages' | 'cancel' | 'resume';

export function messageHandlers({
  runtime,
  store,
  blobs,
  runs,
  gate,
}: HandlerContext): Pick<RouteHandlers, Names> {
  async function send(
    sessionId: string,
    { content, id, metadata, tools, from }: SendMessageBody,
    { key, access }: { key: string | undefined; access: Access },
  ) {
    if (id !== undefined && key !== undefined && id !== key) {
      throw new LonghaulError(
        'invalid_request',
        'The id in the body and the header Idempotency-Key differ. Send only one of them, or the same value in both.',
      );
    }
    const parts = toContentParts(content);
    await assertBlobs(parts, { blobs, store, sessionId, access });
    if (from !== undefined) await gate.assert(access, from, 'see');
    const origin =
      from === undefined ? undefined : sessionOrigin(await runs.existing(from), { id: sessionId });
    const answer = await runs.send(sessionId, { content: parts, id: id ?? key, metadata, tools, origin });
    return runs.isStopping ? Response.json(answer, { status: 202 }) : answer;
  }

  return {
    sendMessage: ({ params: { sessionId }, body, headers, access }) =>
      send(sessionId, body, { key: headers['idempotency-key'], access }),

    postMessage: ({ body: { sessionId, ...body }, headers, access }) =>
      send(sessionId, body, { key: headers['idempotency-key'], access }),

    listMessages: ({ params: { sessionId }, query }) => listMessages(store, sessionId, query),

    async cancel({ params: { sessionId }, body }) {
      const wasWaiting = await runs.giveUp(sessionId);
      const { wasRunning, ...result } = await runtime.cancel(sessionId, body);
      return { ok: true, cancelled: wasRunning || wasWaiting, ...result };
    },

    async resume({ params: { sessionId } }) {
      const session = await runs.existing(sessionId);
      if (await runs.isDriven(sessionId)) {
        throw new LonghaulError(
          'session_busy',
          'The session has an active run, so there is nothing to resume.',
        );
      }
      await runtime.spending.assertLeft(session);
      const runId = await runs.start(sessionId);
      return { ok: true, runId, waiting: await runs.positionOf(sessionId) };
    },
  };
}
