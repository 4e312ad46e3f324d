import { LonghaulError } from '@longhaul/protocol';
import { toContentParts } from '@longhaul/protocol/api';
import type { RouteHandlers } from '../http/route-handler.ts';
import { assertBlobs } from './assert-blobs.ts';
import type { HandlerContext } from './handler-context.ts';

type Names =
  | 'listQueue'
  | 'clearQueue'
  | 'listSessionQueue'
  | 'clearSessionQueue'
  | 'editQueued'
  | 'moveQueued'
  | 'sendQueued'
  | 'removeQueued';

export function queueHandlers({ runtime, runs, blobs, store }: HandlerContext): Pick<RouteHandlers, Names> {
  const { queue } = runtime;
  async function list(sessionId: string) {
    const messages = await queue.list(sessionId);
    return { messages, count: messages.length };
  }
  async function clear(sessionId: string) {
    return { ok: true, removed: await queue.clear(sessionId) } as const;
  }

  return {
    listQueue: ({ query }) => list(query.sessionId),
    clearQueue: ({ query }) => clear(query.sessionId),
    listSessionQueue: ({ params }) => list(params.sessionId),
    clearSessionQueue: ({ params }) => clear(params.sessionId),

    async editQueued({ params: { sessionId, messageId }, body, access }) {
      const parts = toContentParts(body.content);
      await assertBlobs(parts, { blobs, store, sessionId, access });
      if (!(await queue.edit(sessionId, messageId, parts))) throw doesNotWait(messageId);
      return { ok: true };
    },

    async moveQueued({ params: { sessionId, messageId }, body: { position } }) {
      if (!(await queue.move(sessionId, messageId, position))) throw doesNotWait(messageId);
      return list(sessionId);
    },

    async sendQueued({ params: { sessionId, messageId } }) {
      runs.assertOpen();
      if (!(await queue.move(sessionId, messageId, 1))) throw doesNotWait(messageId);
      // If the run takes the message in the meantime, the next run continues from it.
      const { wasRunning } = await runtime.cancel(sessionId);
      return { ok: true, cancelled: wasRunning, runId: await runs.start(sessionId) };
    },

    async removeQueued({ params: { sessionId, messageId } }) {
      if (!(await queue.remove(sessionId, messageId))) throw doesNotWait(messageId);
      return { ok: true };
    },
  };
}

function doesNotWait(messageId: string): LonghaulError {
  return new LonghaulError(
    'not_found',
    `The queue of this session has no message ${messageId.slice(0, 100)}. It was delivered or removed, or belongs to another session.`,
  );
}
