import type { QueueStore } from '@longhaul/core';
import { readHead, saveHead } from '../heads.ts';
import { addEvents } from '../tables/events.ts';
import { addMessages } from '../tables/messages.ts';
import {
  editQueued,
  emptyQueue,
  enqueue,
  listQueue,
  moveQueued,
  queuedSessions,
  removeQueued,
} from '../tables/queue.ts';
import type { PostgresCore } from './store-core.ts';

export function queueStore(core: PostgresCore): QueueStore {
  return {
    enqueue: (sessionId, message, { maxPending }) =>
      core.inSession(sessionId, async ({ db, head, now }) => {
        const { lastEvent } = head;
        const answer = await enqueue(db, head, { message, maxPending, now });
        if (head.lastEvent > lastEvent) await saveHead(db, head, now);
        return answer;
      }),

    listQueue: (sessionId) =>
      core.query(async (db) => {
        await readHead(db, sessionId);
        return listQueue(db, sessionId);
      }, sessionId),

    listQueuedSessions: ({ limit }) => core.query((db) => queuedSessions(db, limit)),

    editQueued: (sessionId, id, content) =>
      core.inSession(sessionId, ({ db }) => editQueued(db, sessionId, { id, content })),

    moveQueued: (sessionId, id, position) =>
      core.inSession(sessionId, ({ db }) => moveQueued(db, sessionId, { id, position })),

    removeQueued: (sessionId, id) => core.inSession(sessionId, ({ db }) => removeQueued(db, sessionId, id)),

    clearQueue: (sessionId) => core.inSession(sessionId, ({ db }) => emptyQueue(db, sessionId, 'removed')),

    takeQueue: (lease, build) =>
      core.held(lease, async ({ db, head, now }) => {
        const waiting = await listQueue(db, lease.sessionId);
        const built = waiting.length === 0 ? undefined : build(waiting);
        if (built === undefined) return undefined;
        const { drafts, note, events: payloads } = built;
        await emptyQueue(db, lease.sessionId, 'taken');
        const messages = await addMessages(db, head, drafts);
        const [noted] = note === undefined ? [] : await addMessages(db, head, [note]);
        const events = await addEvents(db, head, { payloads, now });
        await saveHead(db, head, now);
        return { messages, ...(noted === undefined ? {} : { note: noted }), events };
      }),
  };
}
