import { revertedRanges } from '@longhaul/context/engine';
import type { SequenceSpan } from '@longhaul/core';
import { and, asc, between, desc, eq, inArray, type SQL } from 'drizzle-orm';
import { breaksIn, joined, readableEntries, withinRanges, without } from '../shared/hidden-spans.ts';
import {
  isStanding,
  pinnedBy,
  type StubExtras,
  type StubRow,
  type ViewRows,
} from '../shared/view-assembler.ts';
import type { Drizzle } from './connection.ts';
import { readLiveRows } from './live-rows.ts';
import { readPartRows } from './log-reader.ts';
import { messages } from './schema.ts';
import { readViewMarks } from './view-reader.ts';

/**
 * Returns the rows of a view in which consecutive hidden messages are one. Reads no row of the others, so the work does
 * not depend on the length of the session. Call it in a transaction, so that it reads one snapshot.
 */
export function readCollapsedRows(db: Drizzle, sessionId: string): ViewRows {
  const live = readLiveRows(db, sessionId);
  const found = readViewMarks(db, sessionId, live);
  const spans = hiddenSpans(db, sessionId, found).flatMap((span) => withinRanges(live.path, span));
  const stubs: StubRow[] = [];
  const extras: StubExtras[] = [];
  const standsFrom = new Map<string, number>();
  const shown: ViewRows['shown'] = { messages: [], parts: [], chunks: [] };
  let next = 0;
  for (const { span, isHidden } of breaksIn(spans, revertedRanges(live.path))) {
    const [first, last] = span;
    for (const row of addShown(db, sessionId, { shown, span: [next, first - 1] })) stubs.push(stubOf(row));
    next = last + 1;
    const row = isHidden ? newestIn(db, sessionId, span) : undefined;
    if (row === undefined) continue;
    stubs.push(stubOf(row));
    if (row.metadata !== null) extras.push({ id: row.id, metadata: row.metadata, usage: null, cost: null });
    if (first < row.sequence) standsFrom.set(row.id, first);
  }
  const places = spans.length === 0 ? [] : stubs;
  const messageIds = { ids: places.map(([id]) => id), sequences: places.map(([, sequence]) => sequence) };
  const visible = new Set(shown.messages.map(({ id }) => id));
  const hidden = new Set(messageIds.ids.filter((id) => !visible.has(id)));
  return { stubs: places, extras, hidden, marks: { ...found, messageIds }, shown, standsFrom };
}

/** Returns the hidden messages in order, without pinned ones. Uses unvalidated rows, like `readViewRows`. */
function hiddenSpans(
  db: Drizzle,
  sessionId: string,
  { marks, compactions }: Omit<ViewRows['marks'], 'messageIds'>,
): SequenceSpan[] {
  const compaction = compactions.find(isStanding);
  if (compaction === undefined) return [];
  const entries = readableEntries(compaction.hides);
  const named = sequencesOf(
    db,
    sessionId,
    entries.filter((entry) => typeof entry === 'string'),
  );
  const pinned = sequencesOf(
    db,
    sessionId,
    marks.flatMap(({ kind, body }) => (kind === 'pin' ? pinnedBy(body) : [])),
  );
  const spans = entries.flatMap((entry): SequenceSpan[] => (typeof entry === 'string' ? [] : [entry]));
  for (const sequence of named) spans.push([sequence, sequence]);
  return pinned.reduce(without, joined(spans));
}

/** Limits the number of query parameters. */
const IDS_AT_ONCE = 500;

function sequencesOf(db: Drizzle, sessionId: string, ids: readonly string[]): number[] {
  const found: number[] = [];
  for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
    const some = inArray(messages.id, ids.slice(start, start + IDS_AT_ONCE));
    const rows = db
      .select({ sequence: messages.sequence })
      .from(messages)
      .where(and(eq(messages.sessionId, sessionId), some))
      .all();
    found.push(...rows.map(({ sequence }) => sequence));
  }
  return found;
}

function addShown(
  db: Drizzle,
  sessionId: string,
  { shown, span }: { shown: ViewRows['shown']; span: SequenceSpan },
): ViewRows['shown']['messages'] {
  const isShown = inSpan(sessionId, span);
  const rows = db.select().from(messages).where(isShown).orderBy(asc(messages.sequence)).all();
  if (rows.length === 0) return rows;
  const { parts, chunks } = readPartRows(db, isShown);
  shown.messages.push(...rows);
  shown.parts.push(...parts);
  shown.chunks.push(...chunks);
  return rows;
}

function newestIn(db: Drizzle, sessionId: string, span: SequenceSpan) {
  return db
    .select()
    .from(messages)
    .where(inSpan(sessionId, span))
    .orderBy(desc(messages.sequence))
    .limit(1)
    .get();
}

function inSpan(sessionId: string, [first, last]: SequenceSpan): SQL | undefined {
  return and(eq(messages.sessionId, sessionId), between(messages.sequence, first, last));
}

type MessageRow = ViewRows['shown']['messages'][number];

function stubOf({ id, sequence, role, status, tokenCount, createdAt }: MessageRow): StubRow {
  return [id, sequence, role, status, tokenCount, createdAt];
}
