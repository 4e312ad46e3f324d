import { createLiveTest, type LiveRange, livePath, revertedRanges } from '@longhaul/context/engine';
import type { RevertMark } from '@longhaul/protocol';
import { and, asc, between, eq, or, type SQL, sql } from 'drizzle-orm';
import { soundReverts } from '../shared/sound-reverts.ts';
import type { Drizzle } from './connection.ts';
import { marks, messages } from './schema.ts';

/**
 * Which rows of a session are on its live path. Most sessions have no revert: then all are, and nothing more is read.
 */
export interface LiveRows {
  /** A condition on `messages`. Undefined: all rows. */
  messages: SQL | undefined;
  path: readonly LiveRange[];
  /** Ids of the marks that were not made on the live path. */
  deadMarks: readonly string[];
}

const ALL: LiveRows = { messages: undefined, path: livePath([]), deadMarks: [] };

export function readLiveRows(db: Drizzle, sessionId: string): LiveRows {
  const reverts = readReverts(db, sessionId);
  if (reverts.length === 0) return ALL;
  const path = livePath(reverts);
  return {
    messages: isIn(path),
    path,
    deadMarks: readDeadMarks(db, sessionId, reverts),
  };
}

function isIn(path: readonly LiveRange[]): SQL | undefined {
  return or(...path.map(([first, last]) => between(messages.sequence, first, last)));
}

/** Returns the condition for messages of the live path. Undefined: all messages are on it. */
export function onLivePath(db: Drizzle, sessionId: string): SQL | undefined {
  const reverts = readReverts(db, sessionId);
  return reverts.length === 0 ? undefined : isIn(livePath(reverts));
}

/** Returns the sequences of the live path. */
export function readLivePath(db: Drizzle, sessionId: string): LiveRange[] {
  return livePath(readReverts(db, sessionId));
}

/** Returns the reverted messages of all sessions, or of one. */
export function readRevertedSpans(
  db: Drizzle,
  sessionId: string | undefined,
): { sessionId: string; first: number; last: number }[] {
  const bySession = Map.groupBy(revertRows(db, sessionId), (row) => row.sessionId);
  return [...bySession].flatMap(([id, rows]) =>
    revertedRanges(livePath(soundReverts(rows))).map(([first, last]) => ({ sessionId: id, first, last })),
  );
}

/** Returns the reverts in the order of their creation, without damaged ones. */
function readReverts(db: Drizzle, sessionId: string): RevertMark[] {
  return soundReverts(revertRows(db, sessionId));
}

type MarkRow = typeof marks.$inferSelect;

/** The constant lets SQLite use the index of reverts. */
function revertRows(db: Drizzle, sessionId: string | undefined): MarkRow[] {
  const ofSession = sessionId === undefined ? undefined : eq(marks.sessionId, sessionId);
  return db
    .select()
    .from(marks)
    .where(and(sql`${marks.kind} = 'revert'`, ofSession))
    .orderBy(asc(marks.sessionId), asc(marks.key))
    .all();
}

/** A mark whose time cannot be read is not dead: it is reported as damaged when the marks are assembled. */
function readDeadMarks(db: Drizzle, sessionId: string, reverts: readonly RevertMark[]): string[] {
  const isLive = createLiveTest(reverts);
  const revertIds = new Set(reverts.map(({ id }) => id));
  const rows = db.all<{ id: string; time: number | null }>(sql`
    SELECT marks.id AS id, coalesce(compactions.created_at, CASE WHEN json_valid(marks.body) THEN
      coalesce(json_extract(marks.body, '$.createdAt'), json_extract(marks.body, '$.compactedAt')) END) AS time
    FROM marks LEFT JOIN compactions ON compactions.id = marks.id
    WHERE marks.session_id = ${sessionId}
    ORDER BY marks.key`);
  let precedingReverts = 0;
  return rows.flatMap(({ id, time }) => {
    if (revertIds.has(id)) precedingReverts += 1;
    else if (typeof time === 'number' && !isLive({ precedingReverts, time })) return [id];
    return [];
  });
}
