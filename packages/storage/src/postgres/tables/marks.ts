import type { LedgerCheckpoint, SequenceSpan } from '@longhaul/core';
import { isObject, type Mark, parseJson } from '@longhaul/protocol';
import { and, asc, eq, gt, inArray, isNull } from 'drizzle-orm';
import { type MessageIds, toHiddenMessages } from '../../shared/hidden-messages.ts';
import { rawCompaction, rawMark } from '../../shared/log-assembler.ts';
import { compactionRow, type StoredMark } from '../../shared/mark-rows.ts';
import { isSoundRow, rowChecksum } from '../../shared/row-checksum.ts';
import type { Db } from '../connection.ts';
import { checkpoints, compactions, marks, messages } from '../schema.ts';

export async function readMessageIds(db: Db, sessionId: string): Promise<MessageIds> {
  const rows = await db
    .select({ id: messages.id, sequence: messages.sequence })
    .from(messages)
    .where(eq(messages.sessionId, sessionId))
    .orderBy(asc(messages.sequence));
  return { ids: rows.map(({ id }) => id), sequences: rows.map(({ sequence }) => sequence) };
}

/** A compaction has a row in `marks` and a row with its summary in `compactions`. */
export async function addStoredMark(db: Db, sessionId: string, mark: StoredMark): Promise<void> {
  const { id, kind, undoneAt } = mark;
  const body = mark.kind === 'compaction' ? null : JSON.stringify(mark);
  const row = { id, sessionId, kind, undoneAt, body };
  await db.insert(marks).values({ ...row, checksum: rowChecksum('marks', row) });
  if (mark.kind === 'compaction') await db.insert(compactions).values(compactionRow(sessionId, mark));
}

/** @param spans The messages that a compaction hides. Default: those of its `hides`. */
export async function addMark(
  db: Db,
  sessionId: string,
  { mark, spans }: { mark: Mark; spans?: readonly SequenceSpan[] | undefined },
): Promise<void> {
  if (mark.kind !== 'compaction') return addStoredMark(db, sessionId, mark);
  const hides = spans ?? toHiddenMessages(mark.hides, await readMessageIds(db, sessionId));
  await addStoredMark(db, sessionId, { ...mark, hides: [...hides] });
}

/** Also undoes the marks that belong to a compaction. A damaged one stays. */
export async function undoMark(
  db: Db,
  sessionId: string,
  { markId, undoneAt }: { markId: string; undoneAt: number },
): Promise<boolean> {
  const standing = and(eq(marks.sessionId, sessionId), isNull(marks.undoneAt));
  const undone = await db
    .update(marks)
    .set({ undoneAt })
    .where(and(standing, eq(marks.id, markId)))
    .returning({ kind: marks.kind });
  if (undone.length === 0) return false;
  if (undone[0]?.kind !== 'compaction') return true;
  await db.update(compactions).set({ undoneAt }).where(eq(compactions.id, markId));
  const rows = await db.select({ id: marks.id, body: marks.body }).from(marks).where(standing);
  const belonging = rows.filter(({ body }) => compactionOf(body) === markId).map(({ id }) => id);
  if (belonging.length > 0) await db.update(marks).set({ undoneAt }).where(inArray(marks.id, belonging));
  return true;
}

function compactionOf(body: string | null): unknown {
  const mark = parseJson(body ?? '');
  return isObject(mark) ? mark['compactionId'] : undefined;
}

/** Returns the session's first mark with a key greater than `after`. `read` throws if the mark is damaged. */
export async function readNextMark(
  db: Db,
  { sessionId, after }: { sessionId: string; after: number },
): Promise<{ key: number; chars: number; read: () => StoredMark } | undefined> {
  const [row] = await db
    .select()
    .from(marks)
    .leftJoin(compactions, eq(compactions.id, marks.id))
    .where(and(eq(marks.sessionId, sessionId), gt(marks.key, after)))
    .orderBy(asc(marks.key))
    .limit(1);
  if (row === undefined) return undefined;
  const read = () => {
    const raw =
      row.marks.kind === 'compaction' ? rawCompaction(row.marks, row.compactions) : rawMark(row.marks);
    // The store wrote the row from a mark.
    return raw as StoredMark;
  };
  const { summaryContent = '', hides = '' } = row.compactions ?? {};
  return { key: row.marks.key, chars: summaryContent.length + hides.length, read };
}

/** Replaces the session's checkpoint. */
export async function putCheckpoint(db: Db, sessionId: string, checkpoint: LedgerCheckpoint): Promise<void> {
  const { sequence, fold } = checkpoint;
  const row = { sequence, fold, checksum: rowChecksum('checkpoints', { sessionId, sequence, fold }) };
  await db
    .insert(checkpoints)
    .values({ sessionId, ...row })
    .onConflictDoUpdate({ target: checkpoints.sessionId, set: row });
}

/** Returns undefined for a damaged checkpoint: the fold is then computed from the messages. */
export async function getCheckpoint(db: Db, sessionId: string): Promise<LedgerCheckpoint | undefined> {
  const [row] = await db.select().from(checkpoints).where(eq(checkpoints.sessionId, sessionId));
  if (row === undefined || !isSoundRow('checkpoints', row)) return undefined;
  return { sequence: row.sequence, fold: row.fold };
}
