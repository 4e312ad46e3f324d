import type { DamagedRow, SessionLog } from '@longhaul/core';
import { handleOf, type Mark, type Message, type Part, type Session } from '@longhaul/protocol';
import { type HiddenMessages, parseHiddenMessages, withHiddenIds } from './hidden-messages.ts';
import { withoutNulls } from './json.ts';
import type { ChunkRow, CompactionRow, LogRows, MarkRow, MarkRows, MessageRows } from './log-rows.ts';
import { LOST_TEXT, lostPart } from './lost-content.ts';
import { CHANGED_ON_DISK, isSoundRow } from './row-checksum.ts';
import { describeProblem } from './row-shapes.ts';

/**
 * Builds the log from its rows. A damaged part is replaced by a notice, other damaged rows are left out, and all are
 * listed in `damaged`. The rest of their message is kept.
 */
export async function assembleLog(session: Session, rows: LogRows): Promise<SessionLog> {
  const log: SessionLog = { session, messages: [], marks: [], damaged: [] };
  // Loading zod takes 40 ms. A new session does not need it.
  if (rows.messages.length === 0 && rows.marks.length === 0) return log;
  Object.assign(log, await assembleMessages(rows, log.damaged), await assembleMarkLog(rows, log.damaged));
  return log;
}

/** Builds messages from rows. Adds damaged rows to `damaged`. */
export async function assembleMessages(
  rows: MessageRows,
  damaged: DamagedRow[] = [],
): Promise<Pick<SessionLog, 'messages' | 'damaged'>> {
  // A new session is read before its first message is in the log. Loading zod and its schemas takes 20 to 40 ms.
  if (rows.messages.length + rows.parts.length + rows.chunks.length === 0) return { messages: [], damaged };
  const schemas = await import('@longhaul/protocol/schemas');
  const found: Message[] = [];
  const check = createChecker(damaged);
  const partsOf = assembleParts(rows, damaged, (raw, place) => check(schemas.partSchema, raw, place));
  for (const row of rows.messages) {
    const { usage, metadata, checksum: _checksum, ...columns } = row;
    const place = { table: 'messages', id: row.id, handle: handleOf(row.sequence) };
    const raw = () => ({ ...withoutNulls(columns), ...parsed({ usage, metadata }) });
    const message = check(schemas.messageRowSchema, raw, place);
    if (message === undefined) continue;
    // The parts have checksums of their own, so the content of the message is kept.
    if (!isSoundRow('messages', row)) damaged.push({ ...place, reason: CHANGED_ON_DISK });
    found.push({ ...message, parts: partsOf.get(row.id) ?? [] });
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
  const compactionOf = (row: MarkRow) => {
    const { id } = row;
    let hidden: HiddenMessages = [];
    const raw = () => {
      const { hides, ...rest } = rawCompaction(row, compactionById.get(id));
      hidden = hides;
      return { ...rest, hides: [] };
    };
    const compaction = check(schemas.compactionSchema, raw, { table: 'compactions', id });
    return compaction === undefined ? undefined : withHiddenIds(compaction, hidden, rows.messageIds);
  };
  for (const row of rows.marks) {
    const mark =
      row.kind === 'compaction'
        ? compactionOf(row)
        : check(schemas.markSchema, () => rawMark(row), { table: 'marks', id: row.id });
    if (mark !== undefined) found.push(mark);
  }
  return { marks: found, damaged };
}

/** @throws {Error} For a damaged row. */
export function rawMark(row: MarkRow): object {
  if (!isSoundRow('marks', row)) throw new Error(CHANGED_ON_DISK);
  const { body, undoneAt } = row;
  return { ...JSON.parse(body ?? 'null'), ...(undoneAt === null ? {} : { undoneAt }) };
}

/** @throws {Error} For a damaged row. */
export function rawCompaction(mark: MarkRow, compaction: CompactionRow | null | undefined) {
  if (compaction === null || compaction === undefined) throw new Error('its row is missing');
  if (!isSoundRow('marks', mark) || !isSoundRow('compactions', compaction)) throw new Error(CHANGED_ON_DISK);
  const { summaryContent, hides, checksum: _checksum, ...row } = compaction;
  const summary: unknown = JSON.parse(summaryContent);
  return {
    ...withoutNulls(row),
    kind: 'compaction' as const,
    summary,
    hides: parseHiddenMessages(hides),
  };
}

/** Returns the text of a piece of a streamed part, or the line that replaces a damaged one. */
export function readableChunk(chunk: ChunkRow): string {
  return isSoundRow('part_chunks', chunk) ? chunk.text : LOST_TEXT;
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
      damaged.push({ ...place, reason: describeProblem(result.error) });
    } catch (error) {
      damaged.push({ ...place, reason: error instanceof Error ? error.message : String(error) });
    }
    return undefined;
  };
}

function assembleParts(
  rows: MessageRows,
  damaged: DamagedRow[],
  check: (raw: () => unknown, place: Place) => Part | undefined,
): Map<string, Message['parts']> {
  const chunks = Map.groupBy(rows.chunks, (chunk) => chunk.partKey);
  const sequences = new Map(rows.messages.map(({ id, sequence }) => [id, sequence]));
  const byMessage = new Map<string, Part[]>();
  for (const row of rows.parts) {
    const { key, messageId, index, type } = row;
    const siblings = byMessage.get(messageId) ?? [];
    byMessage.set(messageId, siblings);
    const placeOf = (at: number) => ({
      table: 'parts',
      id: `${messageId}/${at}`,
      handle: handleOf(sequences.get(messageId) ?? 0, at),
    });
    // Marks and handles refer to parts by index.
    for (let at = siblings.length; at < index; at++) {
      damaged.push({ ...placeOf(at), reason: 'its row is missing' });
      siblings.push(lostPart(placeOf(at).handle));
    }
    const place = placeOf(index);
    const raw = () => {
      if (!isSoundRow('parts', row)) throw new Error(CHANGED_ON_DISK);
      return JSON.parse(row.body);
    };
    const part = check(raw, place) ?? lostPart(place.handle, type);
    const since = chunks.get(key) ?? [];
    if ('text' in part && part.type !== 'notice') part.text += since.map(readableChunk).join('');
    for (const chunk of since)
      if (!isSoundRow('part_chunks', chunk))
        damaged.push({ ...place, table: 'part_chunks', reason: CHANGED_ON_DISK });
    siblings.push(part);
  }
  return byMessage;
}

/** Parses JSON columns. Leaves out null columns. */
function parsed(
  columns: Record<string, string | null>,
): Partial<Record<keyof Message | keyof Mark, unknown>> {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([name, text]) => (text === null ? [] : [[name, JSON.parse(text)]])),
  );
}
