import { and, asc, desc, eq, inArray, isNull, ne, notInArray, or, type SQL, sql } from 'drizzle-orm';
import type { MarkRows } from '../shared/log-rows.ts';
import {
  hiddenBy,
  isReadableCompaction,
  isStanding,
  type StubExtras,
  type StubRow,
  type ViewRows,
} from '../shared/view-assembler.ts';
import type { Drizzle } from './connection.ts';
import { type LiveRows, readLiveRows } from './live-rows.ts';
import { readCompactions, readPartRows } from './log-reader.ts';
import { compactions, marks, messages } from './schema.ts';

/**
 * Limits the number of query parameters: SQLite accepts some thousands, and each number of them needs its own query
 * plan.
 */
const MESSAGES_AT_ONCE = 200;

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
    const broken = needed.filter((mark) => !isReadableCompaction(mark, bodies)).map(({ id }) => id);
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
