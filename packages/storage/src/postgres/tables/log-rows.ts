import type { PlacedPatch } from '@longhaul/context/engine';
import type { MessagePage, SequenceRange } from '@longhaul/core';
import type { Part } from '@longhaul/protocol';
import { and, asc, between, desc, eq, getColumns, gt, lt, type SQL, sql } from 'drizzle-orm';
import type { ChunkRow, LogRows, MarkRows, MessageRows, PartRow } from '../../shared/log-rows.ts';
import { isSoundRow } from '../../shared/row-checksum.ts';
import type { Db } from '../connection.ts';
import { type AnySequence, chunkKey } from '../part-keys.ts';
import { compactions, marks, messages, partChunks, parts } from '../schema.ts';
import { onLivePath } from './live-path.ts';
import { readMessageIds } from './marks.ts';

/** Returns all rows of a session. Call it in a transaction, so that it reads one snapshot. */
export async function readLogRows(db: Db, sessionId: string): Promise<LogRows> {
  const ofSession = eq(messages.sessionId, sessionId);
  const found = await db.select().from(messages).where(ofSession).orderBy(asc(messages.sequence));
  const pieces = await readPartRows(db, sessionId);
  return { messages: found, ...pieces, ...(await readMarkRows(db, sessionId)) };
}

const { search: _search, ...PART_COLUMNS } = getColumns(parts);

/** Reads the parts of a session's messages, in order. */
export async function readPartRows(
  db: Db,
  sessionId: string,
  isWanted: (sequence: AnySequence) => SQL | undefined = () => undefined,
): Promise<Pick<MessageRows, 'parts' | 'chunks'>> {
  const rows = await db
    .select(PART_COLUMNS)
    .from(parts)
    .where(and(eq(parts.sessionId, sessionId), isWanted(parts.sequence)))
    .orderBy(asc(parts.sequence), asc(parts.index));
  const pieces = await db
    .select()
    .from(partChunks)
    .where(and(eq(partChunks.sessionId, sessionId), isWanted(partChunks.sequence)))
    .orderBy(asc(partChunks.sequence), asc(partChunks.index), asc(partChunks.number));
  return {
    parts: rows.map((row): PartRow => ({ ...row, key: chunkKey(row) })),
    chunks: pieces.map(
      (row): ChunkRow => ({ partKey: chunkKey(row), text: row.text, checksum: row.checksum }),
    ),
  };
}

/** Returns the rows of the messages in a range. */
export async function readMessageRows(
  db: Db,
  sessionId: string,
  { after, before, limit, skipReverted = false, skipParts = false }: MessagePage,
): Promise<MessageRows> {
  const { sequence } = messages;
  const isLive = skipReverted ? await onLivePath(db, sessionId) : () => undefined;
  const inRange = and(
    eq(messages.sessionId, sessionId),
    isLive(sequence),
    after === undefined ? undefined : gt(sequence, after),
    before === undefined ? undefined : lt(sequence, before),
  );
  const order = after === undefined ? desc(sequence) : asc(sequence);
  const rows = await db.select().from(messages).where(inRange).orderBy(order).limit(limit);
  if (after === undefined) rows.reverse();
  if (skipParts) return { messages: rows, parts: [], chunks: [] };
  const [first, last] = [rows[0]?.sequence ?? 0, rows.at(-1)?.sequence ?? 0];
  const onPage = (of: AnySequence) => and(between(of, first, last), isLive(of));
  return { messages: rows, ...(await readPartRows(db, sessionId, onPage)) };
}

export async function readCost(db: Db, sessionId: string): Promise<number> {
  const cost = sql<number>`coalesce(sum(${messages.cost}), 0)`.mapWith(Number);
  const [row] = await db.select({ cost }).from(messages).where(eq(messages.sessionId, sessionId));
  return row?.cost ?? 0;
}

/** Returns the records of changed files in a range of messages. Leaves out damaged ones. */
export async function readPatches(
  db: Db,
  sessionId: string,
  { after = 0, before = 2 ** 31 - 1 }: SequenceRange = {},
): Promise<PlacedPatch[]> {
  const rows = await db
    .select(PART_COLUMNS)
    .from(parts)
    // The constant lets PostgreSQL use the index of patches.
    .where(
      and(
        eq(parts.sessionId, sessionId),
        gt(parts.sequence, after),
        lt(parts.sequence, before),
        sql`${parts.type} = 'patch'`,
      ),
    )
    .orderBy(asc(parts.sequence), asc(parts.index));
  return rows.flatMap((row) => {
    const part = isSoundRow('parts', row) ? partOf(row.body) : undefined;
    return part?.type === 'patch' ? [{ sequence: row.sequence, index: row.index, part }] : [];
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

export async function readMarkRows(db: Db, sessionId: string): Promise<MarkRows> {
  const all = await db.select().from(marks).where(eq(marks.sessionId, sessionId)).orderBy(asc(marks.key));
  const found = await db.select().from(compactions).where(eq(compactions.sessionId, sessionId));
  const messageIds = found.length === 0 ? { ids: [], sequences: [] } : await readMessageIds(db, sessionId);
  return { marks: all, compactions: found, messageIds };
}
