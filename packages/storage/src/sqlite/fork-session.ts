import type { ForkOptions, NewSession } from '@longhaul/core';
import { isOpen, type Part, type Session } from '@longhaul/protocol';
import { and, asc, eq, gt, lte } from 'drizzle-orm';
import { createMarkFork, type MarkFork } from '../shared/forked-marks.ts';
import type { HiddenRange } from '../shared/hidden-messages.ts';
import { readableChunk } from '../shared/log-assembler.ts';
import type { StoredMark } from '../shared/mark-rows.ts';
import { isSoundRow, rowChecksum } from '../shared/row-checksum.ts';
import { noSuchMessage } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import { dropRest } from './drop-session.ts';
import { inPieces } from './in-pieces.ts';
import { readNextMark } from './log-reader.ts';
import type { MarkTable } from './mark-table.ts';
import type { OutputTable } from './output-table.ts';
import type { PartTable } from './part-table.ts';
import { messages, partChunks, parts } from './schema.ts';
import type { SessionHeads } from './session-heads.ts';
import type { SessionTable } from './session-table.ts';
import type { TransactionQueue } from './transaction-queue.ts';

/**
 * Characters copied in one write. Other writers wait a few tenths of a second. Smaller pieces make the search index
 * merge more often.
 */
const PIECE_CHARS = 2_000_000;
const PIECE_MESSAGES = 200;
export interface ForkTables extends Pick<TransactionQueue, 'write' | 'read'> {
  db: Drizzle;
  sessions: SessionTable;
  heads: SessionHeads;
  parts: PartTable;
  marks: MarkTable;
  outputs: OutputTable;
}

type MessageRow = typeof messages.$inferSelect;

export interface ForkTask {
  sourceId: string;
  session: NewSession;
  options: ForkOptions;
}

/**
 * Copies the source's log into a new session, in pieces, to hold the write lock only briefly and to use little memory.
 * The new session has no head until the last piece is copied, so no query returns it. `collectGarbage` removes what a
 * killed process leaves.
 */
export async function forkSession(tables: ForkTables, task: ForkTask): Promise<Session> {
  const { write, sessions, heads } = tables;
  const { sourceId, session, options } = task;
  const at = await write(() => {
    const { lastSequence } = heads.of(sourceId);
    const last = options.at ?? lastSequence;
    if (last > lastSequence || (last < 1 && lastSequence > 0))
      throw noSuchMessage(sourceId, last, lastSequence);
    sessions.begin(session);
    return last;
  });
  try {
    const messageIds = await copyMessages(tables, task, at);
    await copyMarks(tables, task, await markForkOf(tables, task, { at, messageIds }));
    const { createdAt } = session;
    return await write(() => {
      tables.outputs.fork(sourceId, session.id, at);
      return sessions.open(session.id, { createdAt, lastSequence: at });
    });
  } catch (error) {
    await dropBegun(tables, session.id);
    throw error;
  }
}

async function dropBegun(tables: ForkTables, sessionId: string): Promise<void> {
  try {
    await dropRest(tables, sessionId);
  } catch {
    // The caller gets the first error. `collectGarbage` removes the remaining rows.
  }
}

/** Copies the messages up to sequence `at`. Returns their new ids by old id. */
async function copyMessages(tables: ForkTables, task: ForkTask, at: number): Promise<Map<string, string>> {
  const { db, heads, write } = tables;
  const { sourceId, session, options } = task;
  const messageIds = new Map<string, string>();
  await inPieces(write, (after) => {
    heads.of(sourceId);
    const ofSource = and(
      eq(messages.sessionId, sourceId),
      gt(messages.sequence, after),
      lte(messages.sequence, at),
    );
    let chars = 0;
    let last: number | undefined;
    for (const row of db
      .select()
      .from(messages)
      .where(ofSource)
      .orderBy(asc(messages.sequence))
      .limit(PIECE_MESSAGES)
      .all()) {
      const id = options.newId();
      messageIds.set(row.id, id);
      const status = row.status === 'running' ? 'interrupted' : row.status;
      db.insert(messages)
        .values(forkedMessage(row, { id, sessionId: session.id, status }))
        .run();
      chars += copyParts(tables, { from: row.id, to: id, close: options.close });
      last = row.sequence;
      if (chars >= PIECE_CHARS) break;
    }
    return last;
  });
  return messageIds;
}

/** Copies the parts of a message. Returns the number of characters copied. */
function copyParts(
  { db, parts: table }: ForkTables,
  { from, to, close }: { from: string; to: string; close: (part: Part) => Part },
): number {
  let chars = 0;
  for (const row of db
    .select()
    .from(parts)
    .where(eq(parts.messageId, from))
    .orderBy(asc(parts.index))
    .all()) {
    chars += row.body.length;
    const part = readablePart(row);
    if (part === undefined) {
      // A damaged row is copied with its checksum, which does not match. Loading the fork reports it too.
      const { key: _key, ...columns } = row;
      db.insert(parts)
        .values({ ...columns, messageId: to })
        .run();
      continue;
    }
    if ('text' in part && isOpen(part)) part.text += textSince(db, row.key);
    table.insert(to, row.index, isOpen(part) ? close(part) : part);
  }
  return chars;
}

/** Returns the text that was appended to a streaming part since its row was written. */
function textSince(db: Drizzle, partKey: number): string {
  const chunks = db
    .select()
    .from(partChunks)
    .where(eq(partChunks.partKey, partKey))
    .orderBy(asc(partChunks.key));
  return chunks.all().map(readableChunk).join('');
}

/** Creates the mark fork and passes it all marks of the source. */
async function markForkOf(
  { db, read }: ForkTables,
  { sourceId, session, options }: ForkTask,
  { at, messageIds }: { at: number; messageIds: ReadonlyMap<string, string> },
): Promise<MarkFork<HiddenRange>> {
  const { newId } = options;
  const isNext = and(eq(messages.sessionId, sourceId), gt(messages.sequence, at));
  const next = await read(() =>
    db.select().from(messages).where(isNext).orderBy(asc(messages.sequence)).limit(1).get(),
  );
  const before = next?.createdAt ?? Number.POSITIVE_INFINITY;
  // Messages have the same sequence in the fork as in the source.
  const hiddenThere = (hidden: HiddenRange) => {
    if (typeof hidden === 'string') return messageIds.get(hidden);
    return hidden[1] <= at ? hidden : undefined;
  };
  const until = options.at === undefined ? at : at - 1;
  const markFork = createMarkFork({ sessionId: session.id, messageIds, newId, before, until, hiddenThere });
  for (let after = 0; ; ) {
    const row = await read(() => readNextMark(db, { sessionId: sourceId, after }));
    if (row === undefined) return markFork;
    const mark = readableMark(row.read);
    if (mark !== undefined) markFork.meet(mark);
    after = row.key;
  }
}

async function copyMarks(
  tables: ForkTables,
  { sourceId, session }: ForkTask,
  markFork: MarkFork<HiddenRange>,
): Promise<void> {
  const { db, marks, write } = tables;
  await inPieces(write, (after) => {
    let chars = 0;
    let last: number | undefined;
    while (chars < PIECE_CHARS) {
      const row = readNextMark(db, { sessionId: sourceId, after: last ?? after });
      if (row === undefined) break;
      const mark = readableMark(row.read);
      const forked = mark === undefined ? undefined : markFork.fork(mark);
      if (forked !== undefined) marks.addStored(session.id, forked);
      chars += row.chars + 1000;
      last = row.key;
    }
    return last;
  });
}

/** A sound message gets a checksum for its new ids. A damaged one keeps its own, which does not match. */
function forkedMessage(row: MessageRow, change: Pick<MessageRow, 'id' | 'sessionId' | 'status'>): MessageRow {
  const forked = { ...row, ...change };
  return isSoundRow('messages', row) ? { ...forked, checksum: rowChecksum('messages', forked) } : forked;
}

function readablePart(row: typeof parts.$inferSelect): Part | undefined {
  if (!isSoundRow('parts', row)) return undefined;
  try {
    return JSON.parse(row.body);
  } catch {
    return undefined;
  }
}

/** Returns undefined for a damaged mark. It has no effect in the source, so it is not copied. */
function readableMark(read: () => StoredMark): StoredMark | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
