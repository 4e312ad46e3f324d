import { createLiveTest, type LiveRange, livePath, revertedRanges } from '@longhaul/context/engine';
import { isObject, parseJson, type RevertMark } from '@longhaul/protocol';
import { and, asc, between, eq, or, type SQL, sql } from 'drizzle-orm';
import type { MarkRow } from '../../shared/log-rows.ts';
import { soundReverts } from '../../shared/sound-reverts.ts';
import type { Db } from '../connection.ts';
import type { AnySequence } from '../part-keys.ts';
import { compactions, marks } from '../schema.ts';

/**
 * Which rows of a session are on its live path. Most sessions have no revert: then all are, and nothing more is read.
 */
export interface LivePath {
  /** The condition for the messages of the path. It returns undefined if all are. */
  isLive: (sequence: AnySequence) => SQL | undefined;
  path: readonly LiveRange[];
  /** Ids of the marks that were not made on the live path. */
  deadMarks: readonly string[];
}

export async function readLivePath(db: Db, sessionId: string): Promise<LivePath> {
  const reverts = soundReverts(await revertRows(db, sessionId));
  const path = livePath(reverts);
  if (reverts.length === 0) return { isLive: () => undefined, path, deadMarks: [] };
  return { isLive: isIn(path), path, deadMarks: await readDeadMarks(db, sessionId, reverts) };
}

function isIn(path: readonly LiveRange[]): LivePath['isLive'] {
  return (sequence) =>
    or(...path.map(([first, last]) => between(sequence, first, Math.min(last, MAX_SEQUENCE))));
}

/** The largest value of the column. */
export const MAX_SEQUENCE = 2 ** 31 - 1;

export async function onLivePath(db: Db, sessionId: string): Promise<LivePath['isLive']> {
  const reverts = soundReverts(await revertRows(db, sessionId));
  return reverts.length === 0 ? () => undefined : isIn(livePath(reverts));
}

/** Returns the sequences of the live path. */
export async function readLiveRanges(db: Db, sessionId: string): Promise<LiveRange[]> {
  return livePath(soundReverts(await revertRows(db, sessionId)));
}

/** Returns the reverted messages of all sessions, or of one. */
export async function readRevertedSpans(
  db: Db,
  sessionId: string | undefined,
): Promise<{ sessionId: string; first: number; last: number }[]> {
  const bySession = Map.groupBy(await revertRows(db, sessionId), (row) => row.sessionId);
  return [...bySession].flatMap(([id, rows]) =>
    revertedRanges(livePath(soundReverts(rows))).map(([first, last]) => ({ sessionId: id, first, last })),
  );
}

/** The constant lets PostgreSQL use the index of reverts. */
async function revertRows(db: Db, sessionId: string | undefined): Promise<MarkRow[]> {
  const ofSession = sessionId === undefined ? undefined : eq(marks.sessionId, sessionId);
  return db
    .select()
    .from(marks)
    .where(and(sql`${marks.kind} = 'revert'`, ofSession))
    .orderBy(asc(marks.sessionId), asc(marks.key));
}

/** A mark whose time cannot be read is not dead: it is reported as damaged when the marks are assembled. */
async function readDeadMarks(db: Db, sessionId: string, reverts: readonly RevertMark[]): Promise<string[]> {
  const isOnPath = createLiveTest(reverts);
  const revertIds = new Set(reverts.map(({ id }) => id));
  const rows = await db
    .select({ id: marks.id, body: marks.body, createdAt: compactions.createdAt })
    .from(marks)
    .leftJoin(compactions, eq(compactions.id, marks.id))
    .where(eq(marks.sessionId, sessionId))
    .orderBy(asc(marks.key));
  let precedingReverts = 0;
  return rows.flatMap(({ id, body, createdAt }) => {
    if (revertIds.has(id)) {
      precedingReverts += 1;
      return [];
    }
    const time = createdAt ?? timeOf(body);
    return time !== undefined && !isOnPath({ precedingReverts, time }) ? [id] : [];
  });
}

function timeOf(body: string | null): number | undefined {
  const mark = parseJson(body ?? '');
  if (!isObject(mark)) return undefined;
  const time = mark['createdAt'] ?? mark['compactedAt'];
  return typeof time === 'number' ? time : undefined;
}
