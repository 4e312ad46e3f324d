import type { SequenceSpan } from '@longhaul/core';
import type { Mark } from '@longhaul/protocol';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { CompactionHiding, MarkHiding } from '../shared/forked-marks.ts';
import { rowChecksum } from '../shared/row-checksum.ts';
import type { Drizzle } from './connection.ts';
import { type HiddenRange, readMessageIds, toHiddenMessages } from './hidden-messages.ts';
import { compactions, marks } from './schema.ts';

/** A mark as it is stored. */
export type StoredMark = MarkHiding<HiddenRange>;

/** Marks in creation order. A compaction has a row here and a row with its summary in `compactions`. */
export function createMarkTable(db: Drizzle) {
  function addStored(sessionId: string, mark: StoredMark): void {
    const { id, kind, undoneAt } = mark;
    const body = mark.kind === 'compaction' ? null : JSON.stringify(mark);
    const row = { id, sessionId, kind, undoneAt, body };
    db.insert(marks)
      .values({ ...row, checksum: rowChecksum('marks', row) })
      .run();
    if (mark.kind === 'compaction') db.insert(compactions).values(compactionColumns(sessionId, mark)).run();
  }

  return {
    addStored,

    /** @param spans The messages that a compaction hides. Default: those of its `hides`. */
    add(sessionId: string, mark: Mark, spans?: readonly SequenceSpan[]): void {
      if (mark.kind !== 'compaction') {
        addStored(sessionId, mark);
        return;
      }
      const hides = spans ?? toHiddenMessages(mark.hides, readMessageIds(db, sessionId));
      addStored(sessionId, { ...mark, hides: [...hides] });
    },

    undo(sessionId: string, markId: string, undoneAt: number): boolean {
      const standing = and(eq(marks.id, markId), eq(marks.sessionId, sessionId), isNull(marks.undoneAt));
      const undone = db.update(marks).set({ undoneAt }).where(standing).returning({ id: marks.id }).get();
      if (undone === undefined) return false;
      db.update(compactions).set({ undoneAt }).where(eq(compactions.id, markId)).run();
      // A damaged row must not prevent the other marks from being undone.
      const belonging = sql`CASE WHEN json_valid(${marks.body}) THEN json_extract(${marks.body}, '$.compactionId') END = ${markId}`;
      db.update(marks)
        .set({ undoneAt })
        .where(and(eq(marks.sessionId, sessionId), isNull(marks.undoneAt), belonging))
        .run();
      return true;
    },
  };
}

export type MarkTable = ReturnType<typeof createMarkTable>;

function compactionColumns(
  sessionId: string,
  { kind, summary, hides, ...columns }: CompactionHiding<HiddenRange>,
) {
  const json = { summaryContent: JSON.stringify(summary), hides: JSON.stringify(hides) };
  const row = { ...columns, sessionId, ...json };
  return { ...row, checksum: rowChecksum('compactions', row) };
}
