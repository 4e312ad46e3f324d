import { liveMarks } from '@longhaul/context/engine';
import type { Compaction, Mark, Message } from '@longhaul/protocol';
import { type MessageRange, rangesOf } from './context-report.ts';
import { sequenceWhenMade } from './sequence-when-made.ts';

/** A compaction of a session's history, whether or not it still hides messages. */
export interface PastCompaction {
  compaction: Compaction;
  /** It is on the live path and not undone. */
  isActive: boolean;
  /** Sequence of the last message when it was made. */
  at: number;
  /** Messages that it hid and that the compactions before it did not hide at that time. */
  count: number;
  ranges: MessageRange[];
}

/**
 * Returns all compactions of a session, oldest first.
 *
 * @param messages All messages of the session; parts are not needed.
 */
export function compactionHistory(messages: readonly Message[], marks: readonly Mark[]): PastCompaction[] {
  const active = new Set(liveMarks(marks).filter(({ undoneAt }) => undoneAt === undefined));
  const compactions = marks.filter((mark) => mark.kind === 'compaction');
  return compactions.map((compaction, index) => {
    const { createdAt } = compaction;
    const before = compactions
      .slice(0, index)
      .findLast(({ undoneAt = Number.POSITIVE_INFINITY }) => undoneAt > createdAt);
    const known = new Set(before?.hides);
    const hidden = new Set(compaction.hides.filter((id) => !known.has(id)));
    const own = messages.filter(({ id }) => hidden.has(id));
    return {
      compaction,
      isActive: active.has(compaction),
      at: sequenceWhenMade(compaction, { messages, hidden: own }),
      count: own.length,
      ranges: rangesOf(own),
    };
  });
}
