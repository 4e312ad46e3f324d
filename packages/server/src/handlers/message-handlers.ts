import { activeMarks, isOnPath, liveMarks, livePath } from '@longhaul/context';
import { handleOf, LonghaulError, type Mark, type Message, parseBlobReference } from '@longhaul/protocol';
import { type ListedMessage, type SendMessageBody, toContentParts } from '@longhaul/protocol/api';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'sendMessage' | 'postMessage' | 'listMessages' | 'cancel' | 'resume';

export function messageHandlers({ runtime, store, blobs, runs }: HandlerContext): Pick<RouteHandlers, Names> {
  async function send(
    sessionId: string,
    { content, id, metadata }: SendMessageBody,
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
    return runs.send(sessionId, { content: parts, id: id ?? key, metadata });
  }

  return {
    sendMessage: ({ params: { sessionId }, body, headers }) =>
      send(sessionId, body, headers['idempotency-key']),

    postMessage: ({ body: { sessionId, ...body }, headers }) =>
      send(sessionId, body, headers['idempotency-key']),

    async listMessages({ params: { sessionId }, query: { limit, before, after } }) {
      const page = await store.readMessages(sessionId, {
        limit: limit + 1,
        before,
        after,
      });
      const hasMore = page.messages.length > limit;
      // The query reads one extra message, at the far end of the page, to detect whether there are more.
      const messages = after === undefined ? page.messages.slice(-limit) : page.messages.slice(0, limit);
      const { marks } = await store.readMarks(sessionId);
      return { messages: withVisibility(messages, marks), hasMore };
    },

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

function withVisibility(messages: readonly Message[], marks: readonly Mark[]): ListedMessage[] {
  const { hidden, pinned } = activeMarks(marks);
  const path = livePath(marks);
  const active = liveMarks(marks).filter((mark) => mark.undoneAt === undefined);
  const partsOf = (kind: 'prune' | 'cut' | 'omit', messageId: string) => {
    const indexes = active.flatMap((mark) =>
      mark.kind === kind && mark.messageId === messageId ? [mark.partIndex] : [],
    );
    return [...new Set(indexes)];
  };
  const hiding = hidingOf(new Set(messages.flatMap(({ id }) => (hidden.has(id) ? [id] : []))), active);
  return messages.map((message) => {
    const by = hiding.get(message.id);
    return {
      ...message,
      visibility: {
        handle: handleOf(message.sequence),
        hiddenBy: by,
        isReverted: !isOnPath(path, message.sequence),
        isPinned: pinned.has(message.id),
        prunedParts: partsOf('prune', message.id),
        cutParts: partsOf('cut', message.id),
        omittedParts: partsOf('omit', message.id),
      },
    };
  });
}

/** Maps each message to the first compaction that hid it. Later compactions hide the same messages again. */
function hidingOf(messageIds: ReadonlySet<string>, marks: readonly Mark[]): Map<string, string> {
  const left = new Set(messageIds);
  const hiding = new Map<string, string>();
  for (const mark of marks) {
    if (left.size === 0) break;
    if (mark.kind !== 'compaction') continue;
    for (const id of mark.hides) if (left.delete(id)) hiding.set(id, mark.id);
  }
  return hiding;
}
