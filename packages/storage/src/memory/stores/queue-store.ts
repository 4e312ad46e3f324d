import type { QueueStore } from '@longhaul/core';
import { queuedEvent } from '../../shared/queued-event.ts';
import { assertDurable, queueFull } from '../../shared/store-errors.ts';
import type { MemoryCore } from '../memory-core.ts';
import { noted } from '../memory-session.ts';

export function queueStore(core: MemoryCore): QueueStore {
  let keys = 0;
  return {
    enqueue: async (sessionId, message, { maxPending }) => {
      const held = core.get(sessionId);
      const known = held.queue.find((entry) => entry.message.id === message.id);
      if (known !== undefined) return structuredClone(known.answer);
      const pending = held.waiting.length;
      if (pending >= maxPending) throw queueFull(sessionId, pending, maxPending);
      const position = pending + 1;
      const events = held.appendEvents([queuedEvent(message, position)]);
      keys += 1;
      const answer = { position, events };
      held.queue.push({ key: keys, message: structuredClone(message), state: 'waiting', answer });
      return structuredClone({ position, events });
    },

    listQueue: async (sessionId) =>
      structuredClone(core.get(sessionId).waiting.map(({ message }) => message)),

    listQueuedSessions: async ({ limit }) =>
      core.list
        .filter(({ waiting }) => waiting.length > 0)
        .map(({ session, waiting }) => ({
          id: session.id,
          since: Math.min(...waiting.map(({ key }) => key)),
        }))
        .toSorted((one, other) => one.since - other.since)
        .map(({ id }) => id)
        .slice(0, limit),

    editQueued: async (sessionId, id, content) => {
      const entry = core.get(sessionId).waiting.find(({ message }) => message.id === id);
      if (entry !== undefined) entry.message.content = structuredClone(content);
      return entry !== undefined;
    },

    moveQueued: async (sessionId, id, position) => core.get(sessionId).moveQueued(id, position),

    removeQueued: async (sessionId, id) => {
      const entry = core.get(sessionId).waiting.find(({ message }) => message.id === id);
      if (entry !== undefined) entry.state = 'removed';
      return entry !== undefined;
    },

    clearQueue: async (sessionId) => core.get(sessionId).clearQueue(),

    takeQueue: async (lease, build) => {
      const held = core.held(lease);
      const { waiting } = held;
      if (waiting.length === 0) return undefined;
      const built = core.guarded(() => build(structuredClone(waiting.map(({ message }) => message))));
      if (built === undefined) return undefined;
      const { drafts, note, events } = built;
      assertDurable(events);
      for (const { id } of [...drafts, ...(note === undefined ? [] : [note])]) core.refuseKnown(id);
      for (const entry of waiting) entry.state = 'taken';
      const messages = drafts.map((draft) => held.appendMessage(draft));
      return { messages, ...noted(held, note), events: held.appendEvents(events) };
    },
  };
}
