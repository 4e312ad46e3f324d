import type { SequenceSpan } from '@longhaul/core';
import type { Mark } from '@longhaul/protocol';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { toHiddenMessages } from '../shared/hidden-messages.ts';
import { compactionRow, type StoredMark } from '../shared/mark-rows.ts';
import { rowChecksum } from '../shared/row-checksum.ts';
import type { Drizzle } from './connection.ts';
import { readMessageIds } from './message-ids.ts';
import { compactions, marks } from './schema.ts';

/** Marks in creation order. A compaction has a row here and a row with its summary in `compactions`. */
export function createMarkTable(db: Drizzle) {
  function addStored(sessionId: string, mark: StoredMark): void {
    const { id, kind, undoneAt } = mark;
    const body = mark.kind === 'compaction' ? null : JSON.stringify(mark);
    const row = { id, sessionId, kind, undoneAt, body };
    db.insert(marks)
      .values({ ...row, checksum: rowChecksum('marks', row) })
      .run();
    if (mark.kind === 'compaction') db.insert(compactions).values(compactionRow(sessionId, mark)).run();
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
