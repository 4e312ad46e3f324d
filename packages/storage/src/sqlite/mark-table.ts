import type { Compaction, Mark } from '@longhaul/protocol';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Drizzle } from './connection.ts';
import { compactions, marks } from './schema.ts';

/** Marks in the order in which they were made; a compaction is a row here and, with its summary, one in `compactions`. */
export function createMarkTable(db: Drizzle) {
  return {
    add(sessionId: string, mark: Mark): void {
      const { id, kind, undoneAt } = mark;
      const body = mark.kind === 'compaction' ? null : JSON.stringify(mark);
      db.insert(marks).values({ id, sessionId, kind, undoneAt, body }).run();
      if (mark.kind === 'compaction') db.insert(compactions).values(compactionColumns(sessionId, mark)).run();
    },

    undo(sessionId: string, markId: string, undoneAt: number): boolean {
      const standing = and(eq(marks.id, markId), eq(marks.sessionId, sessionId), isNull(marks.undoneAt));
      const undone = db.update(marks).set({ undoneAt }).where(standing).returning({ id: marks.id }).get();
      if (undone === undefined) return false;
      db.update(compactions).set({ undoneAt }).where(eq(compactions.id, markId)).run();
      // A damaged row must not keep the others from being undone.
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

function compactionColumns(sessionId: string, { kind, summary, hides, ...columns }: Compaction) {
  return { ...columns, sessionId, summaryContent: JSON.stringify(summary), hides: JSON.stringify(hides) };
}
