import type { LogStore } from '@longhaul/core';
import { isOpen } from '@longhaul/protocol';
import { partIsClosed, partLeavesHole } from '../../shared/store-errors.ts';
import { hiddenIds, shownMarks } from '../../shared/view-marks.ts';
import type { MemoryCore } from '../memory-core.ts';

export function logStore(core: MemoryCore): LogStore {
  return {
    appendMessage: async (lease, draft, events = []) => {
      const held = core.held(lease, events);
      core.refuseKnown(draft.id);
      return { message: held.appendMessage(draft), events: held.appendEvents(events) };
    },

    putPart: async (lease, { messageId, index }, part, events = []) => {
      const held = core.held(lease, events);
      const { parts } = core.message(held, messageId);
      const before = parts[index];
      if (before === undefined && index !== parts.length)
        throw partLeavesHole(messageId, index, parts.length);
      if (before !== undefined && !isOpen(before)) throw partIsClosed(messageId, index);
      parts[index] = structuredClone(part);
      return held.appendEvents(events);
    },

    closeMessage: async (lease, messageId, closing, events = []) => {
      const held = core.held(lease, events);
      const given = Object.entries(closing).filter(([, value]) => value !== undefined);
      Object.assign(core.message(held, messageId), structuredClone(Object.fromEntries(given)));
      return held.appendEvents(events);
    },

    loadLog: async (sessionId) => {
      const { session, messages, marks } = core.get(sessionId);
      return structuredClone({ session, messages, marks, damaged: [] });
    },

    loadView: async (sessionId) => {
      const { session, messages, marks } = core.get(sessionId);
      const hidden = hiddenIds(marks);
      const unloaded = new Set(messages.flatMap(({ id }) => (hidden.has(id) ? [id] : [])));
      const shown = messages.map((message) =>
        unloaded.has(message.id) ? { ...message, parts: [] } : message,
      );
      const needed = shownMarks(marks, hidden);
      return structuredClone({ session, messages: shown, marks: needed, damaged: [], unloaded });
    },

    readMessages: async (sessionId, { after, before, limit }) => {
      const { messages } = core.get(sessionId);
      const inRange = messages.filter(
        ({ sequence }) => sequence > (after ?? 0) && sequence < (before ?? Number.POSITIVE_INFINITY),
      );
      const start = after === undefined ? Math.max(0, inRange.length - limit) : 0;
      return structuredClone({ messages: inRange.slice(start, start + limit), damaged: [] });
    },
  };
}
