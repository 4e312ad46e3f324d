import type { DamagedRow, SessionView } from '@longhaul/core';
import { isMessageMark, type Mark, type Message, type Session } from '@longhaul/protocol';
import { hiddenIdsOf, type MessageIds, parseHiddenMessages } from './hidden-messages.ts';
import { assembleMarkLog, assembleMessages, rawCompaction } from './log-assembler.ts';
import type { CompactionRow, MarkRow, MarkRows, MessageRows } from './log-rows.ts';
import { shownMarks } from './view-marks.ts';

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
  shown: MessageRows;
  /** See `SessionView`. */
  standsFrom: ReadonlyMap<string, number>;
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

/** Uses unvalidated rows, because the rows to read must be chosen before they are validated. */
export function hiddenBy({ marks: rows, compactions: bodies, messageIds }: MarkRows): ReadonlySet<string> {
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

export function isReadableCompaction(mark: MarkRow, bodies: readonly CompactionRow[]): boolean {
  const body = bodies.find(({ id }) => id === mark.id);
  try {
    rawCompaction(mark, body);
    return true;
  } catch {
    // A damaged row. It is reported when the marks are assembled.
    return false;
  }
}
