import { type ContextLog, liveLog } from '@longhaul/context/engine';
import type { LogStore } from '@longhaul/core';
import { isOpen, type Message } from '@longhaul/protocol';
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

    findDamage: async (sessionId) => {
      core.get(sessionId);
      return [];
    },

    loadLog: async (sessionId) => {
      const { session, messages, marks } = core.get(sessionId);
      return structuredClone({ session, messages, marks, damaged: [] });
    },

    loadView: async (sessionId, { collapse = false } = {}) => {
      const stored = core.get(sessionId);
      const { session } = stored;
      const { messages, marks } = liveLog<ContextLog>(stored);
      const hidden = hiddenIds(marks);
      const standsFrom = new Map<string, number>();
      const kept = collapse ? collapseHidden(messages, { hidden, standsFrom }) : messages;
      const unloaded = new Set(kept.flatMap(({ id }) => (hidden.has(id) ? [id] : [])));
      const shown = kept.map((message) => (unloaded.has(message.id) ? { ...message, parts: [] } : message));
      const present = new Set(kept.map(({ id }) => id));
      // A pinned message stays in the list: it is hidden again if its pin is undone.
      const needed = shownMarks(marks, hidden).map((mark) =>
        mark.kind === 'compaction' && collapse
          ? { ...mark, hides: mark.hides.filter((id) => present.has(id)) }
          : mark,
      );
      return structuredClone({ session, messages: shown, marks: needed, damaged: [], unloaded, standsFrom });
    },

    listPatches: async (sessionId, { after = 0, before = Number.POSITIVE_INFINITY } = {}) => {
      const { messages } = core.get(sessionId);
      const inRange = messages.filter(({ sequence }) => sequence > after && sequence < before);
      return structuredClone(
        inRange.flatMap(({ sequence, parts }) =>
          parts.flatMap((part, index) => (part.type === 'patch' ? [{ sequence, index, part }] : [])),
        ),
      );
    },

    readMessages: async (sessionId, { after, before, limit, skipReverted = false, skipParts = false }) => {
      const log = core.get(sessionId);
      const { messages } = skipReverted ? liveLog<ContextLog>(log) : log;
      const inRange = messages.filter(
        ({ sequence }) => sequence > (after ?? 0) && sequence < (before ?? Number.POSITIVE_INFINITY),
      );
      const start = after === undefined ? Math.max(0, inRange.length - limit) : 0;
      const page = inRange.slice(start, start + limit);
      const found = skipParts ? page.map((message) => ({ ...message, parts: [] })) : page;
      return structuredClone({ messages: found, damaged: [] });
    },

    costOf: async (sessionId) => {
      let sum = 0;
      for (const { cost = 0 } of core.get(sessionId).messages) sum += cost;
      return sum;
    },
  };
}

/** Keeps the last of consecutive hidden messages, and records which one is the first. */
function collapseHidden(
  messages: readonly Message[],
  { hidden, standsFrom }: { hidden: ReadonlySet<string>; standsFrom: Map<string, number> },
): Message[] {
  let first: number | undefined;
  return messages.flatMap((message, index) => {
    if (!hidden.has(message.id)) return [message];
    first ??= message.sequence;
    const next = messages[index + 1];
    // A gap of reverted messages separates them.
    if (next?.sequence === message.sequence + 1 && hidden.has(next.id)) return [];
    if (first < message.sequence) standsFrom.set(message.id, first);
    first = undefined;
    return [message];
  });
}
