import { and, asc, eq, inArray, max } from 'drizzle-orm';
import type { MessageRow } from '../../shared/log-rows.ts';
import { isSoundRow } from '../../shared/row-checksum.ts';
import type { Db } from '../connection.ts';
import type { Head } from '../heads.ts';
import { heads, messages, partChunks, parts } from '../schema.ts';
import type { MessageState, PartState } from './session-state.ts';

/** Reads the heads of sessions. Sessions that do not exist are missing. */
export async function loadHeads(db: Db, sessionIds: readonly string[]): Promise<Head[]> {
  return db
    .select()
    .from(heads)
    .where(inArray(heads.sessionId, [...sessionIds]));
}

/** Reads what appends to these messages need to know. Messages that do not exist are missing. */
export async function loadMessages(db: Db, messageIds: readonly string[]): Promise<MessageState[]> {
  const rows = await db
    .select()
    .from(messages)
    .where(inArray(messages.id, [...messageIds]));
  const states: MessageState[] = [];
  for (const row of rows) states.push({ row, parts: await loadParts(db, row) });
  return states;
}

async function loadParts(db: Db, { sessionId, sequence }: MessageRow): Promise<PartState[]> {
  const ofMessage = and(eq(parts.sessionId, sessionId), eq(parts.sequence, sequence));
  const rows = await db.select().from(parts).where(ofMessage).orderBy(asc(parts.index));
  const chunks = await db
    .select({ index: partChunks.index, last: max(partChunks.number) })
    .from(partChunks)
    .where(and(eq(partChunks.sessionId, sessionId), eq(partChunks.sequence, sequence)))
    .groupBy(partChunks.index);
  const lastChunks = new Map(chunks.map(({ index, last }) => [index, last ?? -1]));
  const states: PartState[] = [];
  for (const row of rows) {
    const last = lastChunks.get(row.index);
    const state: PartState = { type: row.type, state: row.state, nextChunk: (last ?? -1) + 1 };
    // The text of a part with chunks is rewritten when the part closes.
    const text = last === undefined ? textOf(row) : undefined;
    if (text !== undefined) state.text = text;
    states[row.index] = state;
  }
  return states;
}

function textOf(row: typeof parts.$inferSelect): string | undefined {
  if (row.type !== 'text' && row.type !== 'reasoning') return undefined;
  if (!isSoundRow('parts', row)) return undefined;
  try {
    const { text }: { text?: unknown } = JSON.parse(row.body);
    return typeof text === 'string' ? text : undefined;
  } catch {
    // A damaged row. `loadLog` reports it.
    return undefined;
  }
}
