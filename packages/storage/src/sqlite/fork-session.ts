import type { ForkOptions, NewSession } from '@longhaul/core';
import { isOpen, type Mark, type Part } from '@longhaul/protocol';
import { asc, eq } from 'drizzle-orm';
import { forkedMarks } from '../shared/forked-marks.ts';
import { noSuchMessage } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import { readMarkRows } from './log-reader.ts';
import type { MarkTable } from './mark-table.ts';
import type { PartTable } from './part-table.ts';
import { messages, partChunks, parts } from './schema.ts';
import type { Head } from './session-heads.ts';

export interface ForkTables {
  db: Drizzle;
  parts: PartTable;
  marks: MarkTable;
}

/** Copies the source's log into the new session; the caller saves the new head. One message at a time is in memory. */
export function forkLog(
  { db, ...tables }: ForkTables,
  { source, head, session }: { source: Head; head: Head; session: NewSession },
  { at = source.lastSequence, newId, close }: ForkOptions,
): void {
  if (at > source.lastSequence || (at < 1 && source.lastSequence > 0)) {
    throw noSuchMessage(source.sessionId, at, source.lastSequence);
  }
  const messageIds = new Map<string, string>();
  let before = Number.POSITIVE_INFINITY;
  for (const row of db
    .select()
    .from(messages)
    .where(eq(messages.sessionId, source.sessionId))
    .orderBy(asc(messages.sequence))
    .all()) {
    if (row.sequence > at) {
      before = row.createdAt;
      break;
    }
    const id = newId();
    messageIds.set(row.id, id);
    const status = row.status === 'running' ? 'interrupted' : row.status;
    db.insert(messages)
      .values({ ...row, id, sessionId: session.id, status })
      .run();
    copyParts({ db, parts: tables.parts }, { from: row.id, to: id, close });
  }
  head.lastSequence = at;
  const marks = readMarkRows(db, source.sessionId).flatMap((raw) => readableMark(raw) ?? []);
  for (const mark of forkedMarks(marks, { sessionId: session.id, messageIds, newId, before })) {
    tables.marks.add(session.id, mark);
  }
}

function copyParts(
  { db, parts: table }: { db: Drizzle; parts: PartTable },
  { from, to, close }: { from: string; to: string; close: (part: Part) => Part },
): void {
  for (const row of db
    .select()
    .from(parts)
    .where(eq(parts.messageId, from))
    .orderBy(asc(parts.index))
    .all()) {
    const part = readablePart(row.body);
    if (part === undefined) {
      // Damaged: it stays what it is, and loading the fork names it too.
      const { key: _key, ...columns } = row;
      db.insert(parts)
        .values({ ...columns, messageId: to })
        .run();
      continue;
    }
    if ('text' in part && isOpen(part)) {
      const since = db
        .select()
        .from(partChunks)
        .where(eq(partChunks.partKey, row.key))
        .orderBy(asc(partChunks.key));
      part.text += since
        .all()
        .map((chunk) => chunk.text)
        .join('');
    }
    table.insert(to, row.index, isOpen(part) ? close(part) : part);
  }
}

function readablePart(body: string): Part | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** A mark that cannot be read holds nowhere, so it is not copied. */
function readableMark(read: () => Mark): Mark | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
