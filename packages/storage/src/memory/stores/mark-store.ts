import { isOnPath, livePath } from '@longhaul/context/engine';
import type { MarkStore, SequenceSpan } from '@longhaul/core';
import type { Mark, Message } from '@longhaul/protocol';
import type { MemoryCore } from '../memory-core.ts';
import { noted } from '../memory-session.ts';

export function markStore(core: MemoryCore): MarkStore {
  return {
    recordCompaction: async (lease, compaction, options = {}) => {
      const { marks = [], events = [], checkpoint, spans, summary, note } = options;
      if (note !== undefined) core.refuseKnown(note.id);
      const hides = spans === undefined ? compaction.hides : idsIn(spans, core.get(lease.sessionId).messages);
      const mark: Mark = { ...compaction, hides, kind: 'compaction', sessionId: lease.sessionId };
      const stored = core.addMarks(lease, [mark, ...marks], events);
      if (checkpoint !== undefined) core.get(lease.sessionId).checkpoint = structuredClone(checkpoint);
      if (summary !== undefined) core.get(lease.sessionId).session.summary = summary;
      return { events: stored, ...noted(core.get(lease.sessionId), note) };
    },

    loadCheckpoint: async (sessionId) => {
      const { checkpoint, marks } = core.get(sessionId);
      return checkpoint !== undefined && isOnPath(livePath(marks), checkpoint.sequence)
        ? structuredClone(checkpoint)
        : undefined;
    },

    recordMarks: async (lease, marks, events = []) => core.addMarks(lease, marks, events),

    undoMark: async (sessionId, markId, undoneAt) => {
      const mark = core.get(sessionId).marks.find(({ id }) => id === markId);
      if (mark === undefined || mark.undoneAt !== undefined) return false;
      mark.undoneAt = undoneAt;
      for (const other of core.get(sessionId).marks) {
        if ('compactionId' in other && other.compactionId === markId) other.undoneAt ??= undoneAt;
      }
      return true;
    },

    readMarks: async (sessionId) => structuredClone({ marks: core.get(sessionId).marks, damaged: [] }),
  };
}

function idsIn(spans: readonly SequenceSpan[], messages: readonly Message[]): string[] {
  return spans.flatMap(([first, last]) =>
    messages.flatMap(({ id, sequence }) => (sequence >= first && sequence <= last ? [id] : [])),
  );
}
