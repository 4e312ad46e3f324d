import type { DamagedRow, SequenceRange, SessionLog } from '@longhaul/core';
import type { Mark, Message, Part, Session } from '@longhaul/protocol';
import { and, asc, between, desc, eq, getTableColumns, gt, lt, type SQL } from 'drizzle-orm';
import { withoutNulls } from '../shared/json.ts';
import type { Drizzle } from './connection.ts';
import {
  type HiddenMessages,
  type MessageIds,
  parseHiddenMessages,
  readMessageIds,
  withHiddenIds,
} from './hidden-messages.ts';
import type { StoredMark } from './mark-table.ts';
import { compactions, marks, messages, partChunks, parts } from './schema.ts';

export type LogRows = ReturnType<typeof readLogRows>;

export interface MarkRows {
  marks: (typeof marks.$inferSelect)[];
  compactions: (typeof compactions.$inferSelect)[];
  /** Ids of all messages of the session; empty if it has no compactions. */
  messageIds: MessageIds;
}

/** Returns all rows of a session. Call it in a transaction, so that it reads one snapshot. */
export function readLogRows(db: Drizzle, sessionId: string) {
  const ofSession = eq(messages.sessionId, sessionId);
  return {
    messages: db.select().from(messages).where(ofSession).orderBy(asc(messages.sequence)).all(),
    ...readPartRows(db, ofSession),
    ...readMarks(db, sessionId),
  };
}

/** Returns the rows of the messages in a range. */
export function readMessageRows(
  db: Drizzle,
  sessionId: string,
  { after, before, limit }: SequenceRange & { limit: number },
) {
  const { sequence } = messages;
  const inRange = and(
    eq(messages.sessionId, sessionId),
    after === undefined ? undefined : gt(sequence, after),
    before === undefined ? undefined : lt(sequence, before),
  );
  const order = after === undefined ? desc(sequence) : asc(sequence);
  const rows = db.select().from(messages).where(inRange).orderBy(order).limit(limit).all();
  if (after === undefined) rows.reverse();
  const [first, last] = [rows[0]?.sequence ?? 0, rows.at(-1)?.sequence ?? 0];
  const onPage = and(eq(messages.sessionId, sessionId), between(sequence, first, last));
  return { messages: rows, ...readPartRows(db, onPage) };
}

export function readPartRows(db: Drizzle, ofMessages: SQL | undefined) {
  const onMessage = eq(parts.messageId, messages.id);
  return {
    parts: db
      .select({ key: parts.key, messageId: parts.messageId, index: parts.index, body: parts.body })
      .from(messages)
      .innerJoin(parts, onMessage)
      .where(ofMessages)
      .orderBy(asc(messages.sequence), asc(parts.index))
      .all(),
    chunks: db
      .select(getTableColumns(partChunks))
      .from(messages)
      .innerJoin(parts, onMessage)
      .innerJoin(partChunks, eq(partChunks.partKey, parts.key))
      .where(ofMessages)
      .orderBy(asc(partChunks.key))
      .all(),
  };
}

export function readMarks(db: Drizzle, sessionId: string): MarkRows {
  const found = db.select().from(compactions).where(eq(compactions.sessionId, sessionId)).all();
  return {
    marks: db.select().from(marks).where(eq(marks.sessionId, sessionId)).orderBy(asc(marks.key)).all(),
    compactions: found,
    messageIds: found.length === 0 ? { ids: [], sequences: [] } : readMessageIds(db, sessionId),
  };
}

/** Returns the session's first mark with a key greater than `after`. `read` throws if the mark is damaged. */
export function readNextMark(
  db: Drizzle,
  { sessionId, after }: { sessionId: string; after: number },
): { key: number; chars: number; read: () => StoredMark } | undefined {
  const row = db
    .select()
    .from(marks)
    .leftJoin(compactions, eq(compactions.id, marks.id))
    .where(and(eq(marks.sessionId, sessionId), gt(marks.key, after)))
    .orderBy(asc(marks.key))
    .limit(1)
    .get();
  if (row === undefined) return undefined;
  const read = () => {
    const raw = row.marks.kind === 'compaction' ? rawCompaction(row.compactions) : rawMark(row.marks);
    // The store wrote the row from a mark.
    return raw as StoredMark;
  };
  const { summaryContent = '', hides = '' } = row.compactions ?? {};
  return { key: row.marks.key, chars: summaryContent.length + hides.length, read };
}

/**
 * Builds the log from its rows. Damaged rows are listed in `damaged` and left out. The rest of their message is kept.
 */
export async function assembleLog(session: Session, rows: LogRows): Promise<SessionLog> {
  const log: SessionLog = { session, messages: [], marks: [], damaged: [] };
  // Loading zod takes 40 ms. A new session does not need it.
  if (rows.messages.length === 0 && rows.marks.length === 0) return log;
  Object.assign(log, await assembleMessages(rows, log.damaged), await assembleMarkLog(rows, log.damaged));
  return log;
}

type MessageRows = Pick<LogRows, 'messages' | 'parts' | 'chunks'>;

/** Builds messages from rows. Adds damaged rows to `damaged`. */
export async function assembleMessages(
  rows: MessageRows,
  damaged: DamagedRow[] = [],
): Promise<Pick<SessionLog, 'messages' | 'damaged'>> {
  const schemas = await import('@longhaul/protocol/schemas');
  const found: Message[] = [];
  const check = createChecker(damaged);
  const partsOf = assembleParts(rows, (raw, id) => check(schemas.partSchema, raw, { table: 'parts', id }));
  for (const { usage, metadata, ...row } of rows.messages) {
    const raw = () => ({ ...withoutNulls(row), ...parsed({ usage, metadata }) });
    const message = check(schemas.messageRowSchema, raw, { table: 'messages', id: row.id });
    if (message !== undefined) found.push({ ...message, parts: partsOf.get(row.id) ?? [] });
  }
  return { messages: found, damaged };
}

/** Builds marks from rows. Adds damaged rows to `damaged`. */
export async function assembleMarkLog(
  rows: MarkRows,
  damaged: DamagedRow[] = [],
): Promise<Pick<SessionLog, 'marks' | 'damaged'>> {
  const schemas = await import('@longhaul/protocol/schemas');
  const check = createChecker(damaged);
  const found: Mark[] = [];
  const compactionById = new Map(rows.compactions.map((row) => [row.id, row]));
  const compactionOf = (id: string) => {
    let hidden: HiddenMessages = [];
    const raw = () => {
      const { hides, ...rest } = rawCompaction(compactionById.get(id));
      hidden = hides;
      return { ...rest, hides: [] };
    };
    const compaction = check(schemas.compactionSchema, raw, { table: 'compactions', id });
    return compaction === undefined ? undefined : withHiddenIds(compaction, hidden, rows.messageIds);
  };
  for (const row of rows.marks) {
    const mark =
      row.kind === 'compaction'
        ? compactionOf(row.id)
        : check(schemas.markSchema, () => rawMark(row), { table: 'marks', id: row.id });
    if (mark !== undefined) found.push(mark);
  }
  return { marks: found, damaged };
}

interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: Error };
}

type Place = Omit<DamagedRow, 'reason'>;

function createChecker(damaged: DamagedRow[]) {
  return <T>(schema: Schema<T>, raw: () => unknown, place: Place): T | undefined => {
    try {
      const result = schema.safeParse(raw());
      if (result.success) return result.data;
      damaged.push({ ...place, reason: result.error.message });
    } catch (error) {
      damaged.push({ ...place, reason: error instanceof Error ? error.message : String(error) });
    }
    return undefined;
  };
}

/** Replaces a damaged part, because marks and handles refer to parts by index. */
const UNREADABLE = {
  type: 'notice',
  text: '[A part of this message could not be read.]',
  forModel: true,
} as const;

function assembleParts(
  rows: Pick<LogRows, 'parts' | 'chunks'>,
  check: (raw: () => unknown, id: string) => Part | undefined,
): Map<string, Message['parts']> {
  const chunks = Map.groupBy(rows.chunks, (chunk) => chunk.partKey);
  const byMessage = new Map<string, Part[]>();
  for (const { key, messageId, index, body } of rows.parts) {
    const part = check(() => JSON.parse(body), `${messageId}/${index}`) ?? { ...UNREADABLE };
    const since = chunks.get(key);
    if (since !== undefined && 'text' in part) part.text += since.map((chunk) => chunk.text).join('');
    const siblings = byMessage.get(messageId);
    if (siblings === undefined) byMessage.set(messageId, [part]);
    else siblings.push(part);
  }
  return byMessage;
}

function rawMark({ body, undoneAt }: MarkRows['marks'][number]): object {
  const undone = undoneAt === null ? {} : { undoneAt };
  return { ...JSON.parse(body ?? 'null'), ...undone };
}

function rawCompaction(compaction: MarkRows['compactions'][number] | null | undefined) {
  const { summaryContent, hides, ...row } = compaction ?? { summaryContent: 'null', hides: 'null' };
  const summary: unknown = JSON.parse(summaryContent);
  return { ...withoutNulls(row), kind: 'compaction', summary, hides: parseHiddenMessages(hides) };
}

/** Parses JSON columns. Leaves out null columns. */
function parsed(
  columns: Record<string, string | null>,
): Partial<Record<keyof Message | keyof Mark, unknown>> {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([name, text]) => (text === null ? [] : [[name, JSON.parse(text)]])),
  );
}
