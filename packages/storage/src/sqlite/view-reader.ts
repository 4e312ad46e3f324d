import type { DamagedRow, SessionView } from '@longhaul/core';
import { isMessageMark, type Mark, type Message, type Session } from '@longhaul/protocol';
import { and, asc, desc, eq, inArray, isNull, ne, notInArray, or, type SQL, sql } from 'drizzle-orm';
import { shownMarks } from '../shared/view-marks.ts';
import type { Drizzle } from './connection.ts';
import { hiddenIdsOf, type MessageIds, parseHiddenMessages } from './hidden-messages.ts';
import { type LiveRows, readLiveRows } from './live-rows.ts';
import { assembleMarkLog, assembleMessages, rawCompaction } from './log-assembler.ts';
import { readCompactions, readPartRows } from './log-reader.ts';
import type { LogRows, MarkRows } from './log-rows.ts';
import { compactions, marks, messages } from './schema.ts';

/**
 * Limits the number of query parameters: SQLite accepts some thousands, and each number of them needs its own query
 * plan.
 */
const MESSAGES_AT_ONCE = 200;

/** The columns read of a hidden message. There may be tens of thousands of hidden messages. */
export type StubRow = [
  id: string,
  sequence: number,
  role: Message['role'],
  status: Message['status'],
  tokenCount: number,
  createdAt: number,
];

/** Columns that few hidden messages have. */
export interface StubExtras {
  id: string;
  metadata: string | null;
  /** Set only for messages that an unfinished run may have written; null for others. */
  usage: string | null;
  cost: number | null;
}

export interface ViewRows {
  stubs: StubRow[];
  extras: StubExtras[];
  hidden: ReadonlySet<string>;
  marks: MarkRows;
  shown: Pick<LogRows, 'messages' | 'parts' | 'chunks'>;
  /** See `SessionView`. */
  standsFrom: ReadonlyMap<string, number>;
}

/**
 * Returns the full rows of visible messages and the stub rows of hidden ones. Call it in a transaction, so that it
 * reads one snapshot.
 */
export function readViewRows(db: Drizzle, sessionId: string): ViewRows {
  const live = readLiveRows(db, sessionId);
  const found = readViewMarks(db, sessionId, live);
  const stubs = found.compactions.some(isStanding) ? readStubs(db, sessionId, live) : [];
  const messageIds = { ids: stubs.map(([id]) => id), sequences: stubs.map(([, sequence]) => sequence) };
  const markRows = { ...found, messageIds };
  const hidden = hiddenBy(markRows);
  const isLive = and(eq(messages.sessionId, sessionId), live.messages);
  if (hidden.size === 0) {
    const all = db.select().from(messages).where(isLive).orderBy(asc(messages.sequence)).all();
    return {
      stubs: [],
      extras: [],
      hidden,
      marks: markRows,
      shown: { messages: all, ...readPartRows(db, isLive) },
      standsFrom: new Map(),
    };
  }
  const shown = stubs.flatMap(([id]) => (hidden.has(id) ? [] : [id]));
  return {
    stubs,
    extras: readStubExtras(db, sessionId),
    hidden,
    marks: markRows,
    shown: readShown(db, shown),
    standsFrom: new Map(),
  };
}

/**
 * Reads arrays with a plain statement, without columns that are mostly null. Objects take twice the time, each more
 * column a tenth more.
 */
function readStubs(db: Drizzle, sessionId: string, live: LiveRows): StubRow[] {
  return db.values<StubRow>(sql`
    SELECT id, sequence, role, status, token_count, created_at FROM messages
    WHERE session_id = ${sessionId}${live.messages === undefined ? sql`` : sql` AND (${live.messages})`}
    ORDER BY sequence`);
}

function readStubExtras(db: Drizzle, sessionId: string): StubExtras[] {
  return db.all<StubExtras>(sql`
    WITH open_runs AS (SELECT min(started_at) AS since FROM runs WHERE session_id = ${sessionId} AND ended_at IS NULL)
    SELECT id, metadata, CASE WHEN created_at >= since THEN usage END AS usage, CASE WHEN created_at >= since THEN cost END AS cost
    FROM messages, open_runs
    WHERE session_id = ${sessionId} AND (metadata IS NOT NULL OR created_at >= since)`);
}

/**
 * Reads the active pins and part marks of the live path, and the compactions that the view needs. Others are skipped,
 * because each may list the whole session. A damaged compaction has no effect: the one before it counts.
 */
export function readViewMarks(
  db: Drizzle,
  sessionId: string,
  { deadMarks }: Pick<LiveRows, 'deadMarks'>,
): Omit<MarkRows, 'messageIds'> {
  const ofSession = eq(marks.sessionId, sessionId);
  const isCompaction = eq(marks.kind, 'compaction');
  const damaged: string[] = [];
  for (;;) {
    const newest = (also?: SQL) =>
      db
        .select()
        .from(marks)
        .where(and(ofSession, isCompaction, notInArray(marks.id, [...damaged, ...deadMarks]), also))
        .orderBy(desc(marks.key))
        .limit(1)
        .all();
    const needed = [...newest(), ...newest(isNull(marks.undoneAt))];
    const ids = needed.map(({ id }) => id);
    const bodies = readCompactions(db, inArray(compactions.id, ids));
    const broken = needed.filter((mark) => !isReadable(mark, bodies)).map(({ id }) => id);
    damaged.push(...broken);
    if (broken.length > 0) continue;
    const isStandingMark = and(ne(marks.kind, 'compaction'), isNull(marks.undoneAt));
    const found = db
      .select()
      .from(marks)
      // Damaged marks are included, so that they are reported.
      .where(and(ofSession, or(isStandingMark, inArray(marks.id, [...ids, ...damaged]))))
      .orderBy(asc(marks.key))
      .all();
    const dead = new Set(deadMarks);
    return { marks: found.filter(({ id }) => !dead.has(id)), compactions: bodies };
  }
}

function isReadable(mark: MarkRows['marks'][number], bodies: MarkRows['compactions']): boolean {
  const body = bodies.find(({ id }) => id === mark.id);
  try {
    rawCompaction(mark, body);
    return true;
  } catch {
    // A damaged row. It is reported when the marks are assembled.
    return false;
  }
}

/** Uses unvalidated rows, because the rows to read must be chosen before they are validated. */
function hiddenBy({ marks: rows, compactions: bodies, messageIds }: MarkRows): ReadonlySet<string> {
  const compaction = bodies.find(isStanding);
  if (compaction === undefined) return new Set();
  const pinned = new Set(rows.flatMap(({ kind, body }) => (kind === 'pin' ? pinnedBy(body) : [])));
  const hides = readableIds(compaction.hides, messageIds);
  return new Set(hides.filter((id) => !pinned.has(id)));
}

export function pinnedBy(body: string | null): string[] {
  try {
    const { messageId }: { messageId?: unknown } = JSON.parse(body ?? '{}');
    return typeof messageId === 'string' ? [messageId] : [];
  } catch {
    // A damaged row. It is reported when the marks are assembled.
    return [];
  }
}

export function isStanding({ undoneAt }: { undoneAt: number | null }): boolean {
  return undoneAt === null;
}

function readableIds(hides: string, messageIds: MessageIds): string[] {
  try {
    return hiddenIdsOf(parseHiddenMessages(hides), messageIds);
  } catch {
    // A damaged row. It is reported when the marks are assembled.
    return [];
  }
}

function readShown(db: Drizzle, ids: readonly string[]): ViewRows['shown'] {
  const shown: ViewRows['shown'] = { messages: [], parts: [], chunks: [] };
  for (let start = 0; start < ids.length; start += MESSAGES_AT_ONCE) {
    const some = inArray(messages.id, ids.slice(start, start + MESSAGES_AT_ONCE));
    shown.messages.push(...db.select().from(messages).where(some).orderBy(asc(messages.sequence)).all());
    const { parts, chunks } = readPartRows(db, some);
    shown.parts.push(...parts);
    shown.chunks.push(...chunks);
  }
  return shown;
}

/** Builds the view's log from its rows. Damaged rows are listed in `damaged` and left out. */
export async function assembleView(session: Session, rows: ViewRows): Promise<SessionView> {
  const { stubs, extras, hidden, shown, standsFrom } = rows;
  const unloaded = new Set<string>();
  const empty = { session, messages: [], marks: [], damaged: [], unloaded, standsFrom };
  // Loading zod takes 40 ms. A new session does not need it.
  if (shown.messages.length === 0 && rows.marks.marks.length === 0) return empty;
  const { messages: loaded, damaged } = await assembleMessages(shown);
  const { marks: read } = await assembleMarkLog(rows.marks, damaged);
  const present = new Set(loaded.map(({ id }) => id));
  const isLoaded = (mark: Mark) =>
    standsFrom.size === 0 || !isMessageMark(mark) || present.has(mark.messageId);
  const marks = shownMarks(read, hidden).filter(isLoaded);
  if (stubs.length === 0) return { ...empty, messages: loaded, marks, damaged };
  const byId = new Map(loaded.map((message) => [message.id, message]));
  const extrasById = new Map(extras.map((row) => [row.id, row]));
  const all = stubs.flatMap((stub) => {
    const [id] = stub;
    if (!hidden.has(id)) return byId.get(id) ?? [];
    const message = toStub(stub, { sessionId: session.id, extras: extrasById.get(id), damaged });
    if (message !== undefined) unloaded.add(id);
    return message ?? [];
  });
  return { ...empty, messages: all, marks, damaged };
}

function toStub(
  [id, sequence, role, status, tokenCount, createdAt]: StubRow,
  {
    sessionId,
    extras,
    damaged,
  }: { sessionId: string; extras: StubExtras | undefined; damaged: DamagedRow[] },
): Message | undefined {
  const stub: Message = { id, sessionId, sequence, role, parts: [], status, createdAt, tokenCount };
  if (extras === undefined) return stub;
  const { usage, metadata, cost } = extras;
  try {
    if (usage !== null) stub.usage = JSON.parse(usage);
    if (metadata !== null) stub.metadata = JSON.parse(metadata);
  } catch (error) {
    damaged.push({ table: 'messages', id, reason: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
  if (cost !== null) stub.cost = cost;
  return stub;
}
