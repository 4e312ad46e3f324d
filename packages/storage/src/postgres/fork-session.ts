import type { ForkOptions, NewSession } from '@longhaul/core';
import { isOpen, type Part, type Session } from '@longhaul/protocol';
import { and, asc, between, eq, gt } from 'drizzle-orm';
import { createMarkFork, type MarkFork } from '../shared/forked-marks.ts';
import type { HiddenRange } from '../shared/hidden-messages.ts';
import { readableChunk } from '../shared/log-assembler.ts';
import type { MessageRow, PartRow } from '../shared/log-rows.ts';
import type { StoredMark } from '../shared/mark-rows.ts';
import { partRow } from '../shared/part-rows.ts';
import { isSoundRow, rowChecksum } from '../shared/row-checksum.ts';
import { noSuchMessage } from '../shared/store-errors.ts';
import type { Db } from './connection.ts';
import { lockHead, readHead } from './heads.ts';
import { messages, parts } from './schema.ts';
import { searchVector } from './search-vector.ts';
import type { PostgresCore } from './stores/store-core.ts';
import { dropRest } from './tables/drop-session.ts';
import { readPartRows } from './tables/log-rows.ts';
import { addStoredMark, readNextMark } from './tables/marks.ts';
import { inserted } from './tables/messages.ts';
import { forkOutputs } from './tables/outputs.ts';
import { beginSession, openSession } from './tables/sessions.ts';

/** Messages that are copied in one transaction. */
const PIECE_MESSAGES = 200;

export interface ForkTask {
  sourceId: string;
  session: NewSession;
  options: ForkOptions;
}

/**
 * Copies the source's log into a new session, in pieces, to use little memory. The new session has no head until the
 * last piece is copied, so no query returns it.
 */
export async function forkSession(core: PostgresCore, task: ForkTask): Promise<Session> {
  const { sourceId, session, options } = task;
  const { id, createdAt } = session;
  await core.read(async () => undefined, sourceId);
  const at = await core.write(id, async (db) => {
    const { lastSequence } = (await lockHead(db, sourceId)).head;
    const last = options.at ?? lastSequence;
    if (last > lastSequence || (last < 1 && lastSequence > 0))
      throw noSuchMessage(sourceId, last, lastSequence);
    await beginSession(db, session);
    return last;
  });
  try {
    const messageIds = await copyMessages(core, task, at);
    const markFork = await core.read((db) => markForkOf(db, task, { at, messageIds }));
    return await core.write(id, async (db) => {
      await copyMarks(db, task, markFork);
      await forkOutputs(db, { sourceId, forkId: id, lastSequence: at });
      return openSession(db, id, { createdAt, lastSequence: at });
    });
  } catch (error) {
    // The caller gets the first error. `collectGarbage` removes the remaining rows.
    await core.write(id, (db) => dropRest(db, id)).catch(() => undefined);
    throw error;
  }
}

/** Copies the messages up to sequence `at`. Returns their new ids by old id. */
async function copyMessages(core: PostgresCore, task: ForkTask, at: number): Promise<Map<string, string>> {
  const { sourceId, session, options } = task;
  const messageIds = new Map<string, string>();
  for (let after = 0; after < at; after += PIECE_MESSAGES) {
    const last = Math.min(after + PIECE_MESSAGES, at);
    const newIds = new Map<number, string>();
    await core.write(session.id, async (db) => {
      await readHead(db, sourceId);
      const ofSource = and(eq(messages.sessionId, sourceId), between(messages.sequence, after + 1, last));
      const rows = await db.select().from(messages).where(ofSource).orderBy(asc(messages.sequence));
      // The write may run twice.
      for (const { sequence } of rows) newIds.set(sequence, newIds.get(sequence) ?? options.newId());
      const idOf = ({ sequence }: { sequence: number }) => newIds.get(sequence) ?? '';
      for (const row of rows) messageIds.set(row.id, idOf(row));
      await inserted(
        rows.map((row) => forkedMessage(row, { id: idOf(row), sessionId: session.id })),
        (some) => db.insert(messages).values(some),
      );
      await copyParts(db, task, { span: [after + 1, last], messageIds });
    });
  }
  return messageIds;
}

async function copyParts(
  db: Db,
  { sourceId, session, options }: ForkTask,
  { span, messageIds }: { span: [number, number]; messageIds: ReadonlyMap<string, string> },
): Promise<void> {
  const { parts: rows, chunks } = await readPartRows(db, sourceId, (sequence) => between(sequence, ...span));
  const chunksOf = Map.groupBy(chunks, ({ partKey }) => partKey);
  const copies = rows.map((row) => {
    const messageId = messageIds.get(row.messageId) ?? '';
    const place = { sessionId: session.id, sequence: Number(String(row.key).split('.')[0]) };
    const part = readablePart(row);
    // A damaged row is copied with its checksum, which does not match. Loading the fork reports it too.
    if (part === undefined) {
      const { key: _key, ...columns } = row;
      return { ...columns, messageId, ...place, search: null };
    }
    if ('text' in part && isOpen(part))
      part.text += (chunksOf.get(row.key) ?? []).map(readableChunk).join('');
    const copy = isOpen(part) ? options.close(part) : part;
    return {
      ...partRow({ messageId, index: row.index }, copy),
      ...place,
      search: searchVector(copy) ?? null,
    };
  });
  await inserted(copies, (some) => db.insert(parts).values(some));
}

/** Creates the mark fork and passes it all marks of the source. */
async function markForkOf(
  db: Db,
  { sourceId, session, options }: ForkTask,
  { at, messageIds }: { at: number; messageIds: ReadonlyMap<string, string> },
): Promise<MarkFork<HiddenRange>> {
  const { newId } = options;
  const isNext = and(eq(messages.sessionId, sourceId), gt(messages.sequence, at));
  const [next] = await db.select().from(messages).where(isNext).orderBy(asc(messages.sequence)).limit(1);
  const before = next?.createdAt ?? Number.POSITIVE_INFINITY;
  // Messages have the same sequence in the fork as in the source.
  const hiddenThere = (hidden: HiddenRange) => {
    if (typeof hidden === 'string') return messageIds.get(hidden);
    return hidden[1] <= at ? hidden : undefined;
  };
  const until = options.at === undefined ? at : at - 1;
  const markFork = createMarkFork({ sessionId: session.id, messageIds, newId, before, until, hiddenThere });
  for await (const mark of readableMarks(db, sourceId)) markFork.meet(mark);
  return markFork;
}

async function copyMarks(
  db: Db,
  { sourceId, session }: ForkTask,
  markFork: MarkFork<HiddenRange>,
): Promise<void> {
  for await (const mark of readableMarks(db, sourceId)) {
    const forked = markFork.fork(mark);
    if (forked !== undefined) await addStoredMark(db, session.id, forked);
  }
}

/** A damaged mark has no effect in the source, so it is left out. */
async function* readableMarks(db: Db, sessionId: string): AsyncGenerator<StoredMark> {
  for (let after = 0; ; ) {
    const row = await readNextMark(db, { sessionId, after });
    if (row === undefined) return;
    after = row.key;
    let mark: StoredMark;
    try {
      mark = row.read();
    } catch {
      continue;
    }
    yield mark;
  }
}

/** A sound message gets a checksum for its new ids. A damaged one keeps its own, which does not match. */
function forkedMessage(row: MessageRow, ids: Pick<MessageRow, 'id' | 'sessionId'>): MessageRow {
  const forked = { ...row, ...ids, status: row.status === 'running' ? ('interrupted' as const) : row.status };
  return isSoundRow('messages', row) ? { ...forked, checksum: rowChecksum('messages', forked) } : forked;
}

function readablePart(row: PartRow): Part | undefined {
  if (!isSoundRow('parts', row)) return undefined;
  try {
    return JSON.parse(row.body);
  } catch {
    return undefined;
  }
}
