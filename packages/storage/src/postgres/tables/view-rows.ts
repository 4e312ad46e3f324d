import { revertedRanges } from '@longhaul/context/engine';
import type { SequenceSpan } from '@longhaul/core';
import {
  and,
  asc,
  between,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  min,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { breaksIn, joined, readableEntries, withinRanges, without } from '../../shared/hidden-spans.ts';
import type { MarkRows, MessageRow, MessageRows } from '../../shared/log-rows.ts';
import {
  hiddenBy,
  isReadableCompaction,
  isStanding,
  pinnedBy,
  type StubExtras,
  type StubRow,
  type ViewRows,
} from '../../shared/view-assembler.ts';
import type { Db } from '../connection.ts';
import type { AnySequence } from '../part-keys.ts';
import { compactions, marks, messages, runs } from '../schema.ts';
import { type LivePath, MAX_SEQUENCE, readLivePath } from './live-path.ts';
import { readPartRows } from './log-rows.ts';

/**
 * Returns the full rows of visible messages and the stub rows of hidden ones. Call it in a transaction, so that it
 * reads one snapshot.
 */
export async function readViewRows(db: Db, sessionId: string): Promise<ViewRows> {
  const live = await readLivePath(db, sessionId);
  const found = await readViewMarks(db, sessionId, live);
  const stubs = found.compactions.some(isStanding) ? await readStubs(db, sessionId, live) : [];
  const messageIds = { ids: stubs.map(([id]) => id), sequences: stubs.map(([, sequence]) => sequence) };
  const markRows = { ...found, messageIds };
  const hidden = hiddenBy(markRows);
  const base = { hidden, marks: markRows, standsFrom: new Map<string, number>() };
  if (hidden.size === 0)
    return { ...base, stubs: [], extras: [], shown: await readShown(db, sessionId, live.isLive) };
  const shown = joined(
    stubs.flatMap(([id, sequence]): SequenceSpan[] => (hidden.has(id) ? [] : [[sequence, sequence]])),
  );
  return {
    ...base,
    stubs,
    extras: await readStubExtras(db, sessionId),
    shown: await readShown(db, sessionId, isIn(shown)),
  };
}

/** @param spans If there are none, the condition is false. */
function isIn(spans: readonly SequenceSpan[]): (sequence: AnySequence) => SQL | undefined {
  if (spans.length === 0) return () => sql`false`;
  return (sequence) => or(...spans.map(([first, last]) => between(sequence, first, last)));
}

async function readShown(
  db: Db,
  sessionId: string,
  isShown: (sequence: AnySequence) => SQL | undefined,
): Promise<MessageRows> {
  const rows = await db
    .select()
    .from(messages)
    .where(and(eq(messages.sessionId, sessionId), isShown(messages.sequence)))
    .orderBy(asc(messages.sequence));
  return { messages: rows, ...(await readPartRows(db, sessionId, isShown)) };
}

/** Reads few columns: there may be tens of thousands of hidden messages. */
async function readStubs(db: Db, sessionId: string, { isLive }: LivePath): Promise<StubRow[]> {
  const rows = await db
    .select({
      id: messages.id,
      sequence: messages.sequence,
      role: messages.role,
      status: messages.status,
      tokenCount: messages.tokenCount,
      createdAt: messages.createdAt,
    })
    .from(messages)
    .where(and(eq(messages.sessionId, sessionId), isLive(messages.sequence)))
    .orderBy(asc(messages.sequence));
  return rows.map(stubOf);
}

async function readStubExtras(db: Db, sessionId: string): Promise<StubExtras[]> {
  const openRuns = and(eq(runs.sessionId, sessionId), isNull(runs.endedAt));
  const [open] = await db
    .select({ since: min(runs.startedAt) })
    .from(runs)
    .where(openRuns);
  const since = open?.since ?? Number.MAX_SAFE_INTEGER;
  const rows = await db
    .select({
      id: messages.id,
      metadata: messages.metadata,
      usage: messages.usage,
      cost: messages.cost,
      createdAt: messages.createdAt,
    })
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, sessionId),
        or(isNotNull(messages.metadata), gte(messages.createdAt, since)),
      ),
    );
  return rows.map(({ id, metadata, usage, cost, createdAt }) =>
    createdAt >= since ? { id, metadata, usage, cost } : { id, metadata, usage: null, cost: null },
  );
}

/**
 * Reads the active pins and part marks of the live path, and the compactions that the view needs. Others are skipped,
 * because each may list the whole session. A damaged compaction has no effect: the one before it counts.
 */
async function readViewMarks(
  db: Db,
  sessionId: string,
  { deadMarks }: Pick<LivePath, 'deadMarks'>,
): Promise<Omit<MarkRows, 'messageIds'>> {
  const ofSession = eq(marks.sessionId, sessionId);
  const damaged: string[] = [];
  for (;;) {
    const skipped = [...damaged, ...deadMarks];
    const newest = (also?: SQL) =>
      db
        .select()
        .from(marks)
        .where(
          and(
            ofSession,
            eq(marks.kind, 'compaction'),
            skipped.length === 0 ? undefined : notInArray(marks.id, skipped),
            also,
          ),
        )
        .orderBy(desc(marks.key))
        .limit(1);
    const needed = [...(await newest()), ...(await newest(isNull(marks.undoneAt)))];
    const ids = [...new Set(needed.map(({ id }) => id))];
    const bodies =
      ids.length === 0 ? [] : await db.select().from(compactions).where(inArray(compactions.id, ids));
    const broken = needed.filter((mark) => !isReadableCompaction(mark, bodies)).map(({ id }) => id);
    damaged.push(...broken);
    if (broken.length > 0) continue;
    const isStandingMark = and(ne(marks.kind, 'compaction'), isNull(marks.undoneAt));
    // Damaged marks are included, so that they are reported.
    const named = [...ids, ...damaged];
    const found = await db
      .select()
      .from(marks)
      .where(
        and(ofSession, named.length === 0 ? isStandingMark : or(isStandingMark, inArray(marks.id, named))),
      )
      .orderBy(asc(marks.key));
    const dead = new Set(deadMarks);
    return { marks: found.filter(({ id }) => !dead.has(id)), compactions: bodies };
  }
}

/**
 * Returns the rows of a view in which consecutive hidden messages are one. Reads no row of the others, so the work does
 * not depend on the length of the session. Call it in a transaction, so that it reads one snapshot.
 */
export async function readCollapsedRows(db: Db, sessionId: string): Promise<ViewRows> {
  const live = await readLivePath(db, sessionId);
  const found = await readViewMarks(db, sessionId, live);
  const spans = (await hiddenSpans(db, sessionId, found)).flatMap((span) => withinRanges(live.path, span));
  const breaks = breaksIn(spans, revertedRanges(live.path));
  const shownSpans: SequenceSpan[] = breaks.map(({ span: [first] }, index) => [
    (breaks[index - 1]?.span[1] ?? -1) + 1,
    Math.min(first - 1, MAX_SEQUENCE),
  ]);
  const isShown = isIn(shownSpans.filter(([first, last]) => first <= last));
  const shown = await readShown(db, sessionId, isShown);
  const stubs = shown.messages.map((row) => ({ row, from: row.sequence, isHidden: false }));
  for (const { span, isHidden } of breaks) {
    const row = isHidden ? await newestIn(db, sessionId, span) : undefined;
    if (row !== undefined) stubs.push({ row, from: span[0], isHidden: true });
  }
  stubs.sort((left, right) => left.row.sequence - right.row.sequence);
  const standing = stubs.filter(({ isHidden }) => isHidden);
  const places = spans.length === 0 ? [] : stubs.map(({ row }) => stubOf(row));
  const messageIds = { ids: places.map(([id]) => id), sequences: places.map(([, sequence]) => sequence) };
  return {
    stubs: places,
    extras: standing.flatMap(({ row: { id, metadata } }) =>
      metadata === null ? [] : [{ id, metadata, usage: null, cost: null }],
    ),
    hidden: new Set(standing.map(({ row }) => row.id)),
    marks: { ...found, messageIds },
    shown,
    standsFrom: new Map(
      standing.flatMap(({ row, from }) => (from < row.sequence ? [[row.id, from] as const] : [])),
    ),
  };
}

/** Returns the hidden messages in order, without pinned ones. Uses unvalidated rows, like `readViewRows`. */
async function hiddenSpans(
  db: Db,
  sessionId: string,
  { marks: of, compactions: bodies }: Omit<MarkRows, 'messageIds'>,
): Promise<SequenceSpan[]> {
  const compaction = bodies.find(isStanding);
  if (compaction === undefined) return [];
  const entries = readableEntries(compaction.hides);
  const ids = entries.filter((entry) => typeof entry === 'string');
  const pins = of.flatMap(({ kind, body }) => (kind === 'pin' ? pinnedBy(body) : []));
  const sequences = await sequencesOf(db, sessionId, [...ids, ...pins]);
  const spans = entries.flatMap((entry): SequenceSpan[] => {
    if (typeof entry !== 'string') return [entry];
    const sequence = sequences.get(entry);
    return sequence === undefined ? [] : [[sequence, sequence]];
  });
  const pinned = pins.flatMap((id) => sequences.get(id) ?? []);
  return pinned.reduce(without, joined(spans));
}

async function sequencesOf(db: Db, sessionId: string, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const isNamed = sql`${messages.id} = ANY (ARRAY(SELECT json_array_elements_text(${JSON.stringify(ids)}::text::json)))`;
  const rows = await db
    .select({ id: messages.id, sequence: messages.sequence })
    .from(messages)
    .where(and(eq(messages.sessionId, sessionId), isNamed));
  return new Map(rows.map(({ id, sequence }) => [id, sequence]));
}

async function newestIn(
  db: Db,
  sessionId: string,
  [first, last]: SequenceSpan,
): Promise<MessageRow | undefined> {
  const [row] = await db
    .select()
    .from(messages)
    .where(
      and(eq(messages.sessionId, sessionId), between(messages.sequence, first, Math.min(last, MAX_SEQUENCE))),
    )
    .orderBy(desc(messages.sequence))
    .limit(1);
  return row;
}

function stubOf({
  id,
  sequence,
  role,
  status,
  tokenCount,
  createdAt,
}: Pick<MessageRow, 'id' | 'sequence' | 'role' | 'status' | 'tokenCount' | 'createdAt'>): StubRow {
  return [id, sequence, role, status, tokenCount, createdAt];
}
