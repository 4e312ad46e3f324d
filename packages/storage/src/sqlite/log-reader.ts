import type { PlacedPatch } from '@longhaul/context/engine';
import type { MessagePage, SequenceRange } from '@longhaul/core';
import type { Part } from '@longhaul/protocol';
import { and, asc, between, desc, eq, getTableColumns, gt, lt, type SQL, sql } from 'drizzle-orm';
import { rawCompaction, rawMark } from '../shared/log-assembler.ts';
import type { LogRows, MarkRows } from '../shared/log-rows.ts';
import type { StoredMark } from '../shared/mark-rows.ts';
import { isSoundRow } from '../shared/row-checksum.ts';
import type { Drizzle } from './connection.ts';
import { onLivePath } from './live-rows.ts';
import { readMessageIds } from './message-ids.ts';
import { readableRows, UNREADABLE, unlessDamaged } from './readable-rows.ts';
import { compactions, marks, messages, partChunks, parts } from './schema.ts';

/** Returns all rows of a session. Call it in a transaction, so that it reads one snapshot. */
export function readLogRows(db: Drizzle, sessionId: string): LogRows {
  const ofSession = eq(messages.sessionId, sessionId);
  return {
    messages: db.select().from(messages).where(ofSession).orderBy(asc(messages.sequence)).all(),
    ...readPartRows(db, ofSession),
    ...readMarks(db, sessionId),
  };
}

/** Returns the rows of the messages in a range. */
export function readMessageRows(
  db: Drizzle,
  sessionId: string,
  { after, before, limit, skipReverted = false, skipParts = false }: MessagePage,
) {
  const { sequence } = messages;
  const isWanted = and(
    eq(messages.sessionId, sessionId),
    skipReverted ? onLivePath(db, sessionId) : undefined,
  );
  const inRange = and(
    isWanted,
    after === undefined ? undefined : gt(sequence, after),
    before === undefined ? undefined : lt(sequence, before),
  );
  const order = after === undefined ? desc(sequence) : asc(sequence);
  const rows = db.select().from(messages).where(inRange).orderBy(order).limit(limit).all();
  if (after === undefined) rows.reverse();
  if (skipParts) return { messages: rows, parts: [], chunks: [] };
  const [first, last] = [rows[0]?.sequence ?? 0, rows.at(-1)?.sequence ?? 0];
  const onPage = and(isWanted, between(sequence, first, last));
  return { messages: rows, ...readPartRows(db, onPage) };
}

export function readCost(db: Drizzle, sessionId: string): number {
  const cost = sql<number>`total(${messages.cost})`;
  return db.select({ cost }).from(messages).where(eq(messages.sessionId, sessionId)).get()?.cost ?? 0;
}

/** Returns the records of changed files in a range of messages. Leaves out damaged ones. */
export function readPatches(
  db: Drizzle,
  sessionId: string,
  { after = 0, before = Number.MAX_SAFE_INTEGER }: SequenceRange = {},
): PlacedPatch[] {
  const isPatch = and(
    eq(messages.sessionId, sessionId),
    gt(messages.sequence, after),
    lt(messages.sequence, before),
    // The constant lets SQLite use the index of patches.
    sql`${parts.type} = 'patch'`,
  );
  const places = db
    .select({ key: parts.key, sequence: messages.sequence })
    .from(messages)
    .innerJoin(parts, eq(parts.messageId, messages.id))
    .where(isPatch)
    .orderBy(asc(messages.sequence), asc(parts.index))
    .all();
  return places.flatMap(({ key, sequence }) => {
    const row = unlessDamaged(() => db.select().from(parts).where(eq(parts.key, key)).get());
    const part = row === undefined || !isSoundRow('parts', row) ? undefined : partOf(row.body);
    return row === undefined || part?.type !== 'patch' ? [] : [{ sequence, index: row.index, part }];
  });
}

/** The store wrote the row from a part. Returns undefined if it has no checksum and is not JSON. */
function partOf(body: string): Part | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export function readPartRows(db: Drizzle, ofMessages: SQL | undefined) {
  const onMessage = eq(parts.messageId, messages.id);
  return {
    parts: readableRows(
      () =>
        db
          .select(getTableColumns(parts))
          .from(messages)
          .innerJoin(parts, onMessage)
          .where(ofMessages)
          .orderBy(asc(messages.sequence), asc(parts.index))
          .all(),
      {
        keys: () =>
          db
            .select({ key: parts.key, messageId: parts.messageId, index: parts.index, type: parts.type })
            .from(messages)
            .innerJoin(parts, onMessage)
            .where(ofMessages)
            .orderBy(asc(messages.sequence), asc(parts.index))
            .all(),
        one: ({ key }) => db.select().from(parts).where(eq(parts.key, key)).get(),
        lost: (place): PartRow => ({ ...place, state: null, body: '', checksum: UNREADABLE }),
      },
    ),
    chunks: readableRows(
      () =>
        db
          .select(getTableColumns(partChunks))
          .from(messages)
          .innerJoin(parts, onMessage)
          .innerJoin(partChunks, eq(partChunks.partKey, parts.key))
          .where(ofMessages)
          .orderBy(asc(partChunks.key))
          .all(),
      {
        keys: () =>
          db
            .select({ key: partChunks.key, partKey: partChunks.partKey })
            .from(messages)
            .innerJoin(parts, onMessage)
            .innerJoin(partChunks, eq(partChunks.partKey, parts.key))
            .where(ofMessages)
            .orderBy(asc(partChunks.key))
            .all(),
        one: ({ key }) => db.select().from(partChunks).where(eq(partChunks.key, key)).get(),
        lost: (place) => ({ ...place, text: '', checksum: UNREADABLE }),
      },
    ),
  };
}

type PartRow = typeof parts.$inferSelect;

export function readMarks(db: Drizzle, sessionId: string): MarkRows {
  const found = readCompactions(db, eq(compactions.sessionId, sessionId));
  return {
    marks: db.select().from(marks).where(eq(marks.sessionId, sessionId)).orderBy(asc(marks.key)).all(),
    compactions: found,
    messageIds: found.length === 0 ? { ids: [], sequences: [] } : readMessageIds(db, sessionId),
  };
}

/** Leaves out a compaction that cannot be read: its mark is then reported as damaged. */
export function readCompactions(db: Drizzle, which: SQL): (typeof compactions.$inferSelect)[] {
  const rows = readableRows<typeof compactions.$inferSelect | undefined, { id: string }>(
    () => db.select().from(compactions).where(which).all(),
    {
      keys: () => db.select({ id: compactions.id }).from(compactions).where(which).all(),
      one: ({ id }) => db.select().from(compactions).where(eq(compactions.id, id)).get(),
      lost: () => undefined,
    },
  );
  return rows.filter((row) => row !== undefined);
}

/** Returns the session's first mark with a key greater than `after`. `read` throws if the mark is damaged. */
export function readNextMark(
  db: Drizzle,
  { sessionId, after }: { sessionId: string; after: number },
): { key: number; chars: number; read: () => StoredMark } | undefined {
  const row = db
    .select()
    .from(marks)
    .leftJoin(compactions, eq(compactions.id, marks.id))
    .where(and(eq(marks.sessionId, sessionId), gt(marks.key, after)))
    .orderBy(asc(marks.key))
    .limit(1)
    .get();
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
