import type { KeptOutput, OutputRecord } from '@longhaul/core';
import { handleOf } from '@longhaul/protocol';
import { and, asc, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import { BLOB_COLUMNS } from '../shared/blob-columns.ts';
import { type BlobUse, deletableBlobs, isNamedIn } from '../shared/deletable-blobs.ts';
import { withoutNulls } from '../shared/json.ts';
import { unpackText } from '../shared/packed-text.ts';
import type { Drizzle } from './connection.ts';
import { outputs } from './schema.ts';

const PARTS_AT_ONCE = 500;

/** The full outputs that sessions keep. */
export function createOutputTable(db: Drizzle, now: () => number) {
  const list = (sessionId: string): OutputRecord[] =>
    db
      .select()
      .from(outputs)
      .where(eq(outputs.sessionId, sessionId))
      .orderBy(asc(outputs.key))
      .all()
      .map(({ handle, blobId, bytes, keptAt, deletedAt }) =>
        withoutNulls({ handle, blobId, bytes, keptAt, deletedAt }),
      );

  return {
    list,

    add(sessionId: string, output: KeptOutput): void {
      db.insert(outputs)
        .values({ ...output, sessionId, keptAt: now() })
        .onConflictDoNothing()
        .run();
    },

    delete(sessionId: string, handles: readonly string[]): string[] {
      const blobs = deletableBlobs(list(sessionId), { sessionId, handles, usesOf: (ids) => usesOf(db, ids) });
      const wanted = and(eq(outputs.sessionId, sessionId), inArray(outputs.blobId, blobs));
      if (blobs.length > 0) db.update(outputs).set({ deletedAt: now() }).where(wanted).run();
      return blobs;
    },

    /** Copies the deleted outputs up to a message, so that their handles return what happened in a fork too. */
    fork(sourceId: string, forkId: string, lastSequence: number): void {
      const deleted = db
        .select()
        .from(outputs)
        .where(and(eq(outputs.sessionId, sourceId), isNotNull(outputs.deletedAt)))
        .orderBy(asc(outputs.key))
        .all();
      for (const { key: _key, ...row } of deleted)
        if (sequenceOf(row.handle) <= lastSequence)
          db.insert(outputs)
            .values({ ...row, sessionId: forkId })
            .run();
    },
  };
}

export type OutputTable = ReturnType<typeof createOutputTable>;

function sequenceOf(handle: string): number {
  return Number(/^m(\d+)/.exec(handle)?.[1]);
}

/** Returns every place that names one of the blobs. Reads all rows that can name any blob. */
function usesOf(db: Drizzle, blobIds: readonly string[]): BlobUse[] {
  const named = (stored: unknown) => {
    const text = unpackText(stored);
    return blobIds.filter((id) => isNamedIn(text, id));
  };
  const elsewhere = BLOB_COLUMNS.filter(({ table }) => table !== 'parts').flatMap(({ table, column }) =>
    db
      .all<{ text: unknown }>(sql.raw(`SELECT ${column} AS text FROM ${table} WHERE ${canName(column)}`))
      .flatMap(({ text }) => named(text).map((blobId) => ({ blobId }))),
  );
  const inParts: BlobUse[] = [];
  for (let rows = partsAfter(db, 0); rows.length > 0; rows = partsAfter(db, rows.at(-1)?.key ?? 0)) {
    for (const { session, sequence, part, text } of rows)
      for (const blobId of named(text))
        inParts.push({ blobId, sessionId: session, handle: handleOf(sequence, part) });
  }
  return [...inParts, ...elsewhere];
}

/** Returns the next parts that can name a blob. In pages, because all of them may not fit in memory. */
function partsAfter(db: Drizzle, key: number) {
  return db.all<{ key: number; session: string; sequence: number; part: number; text: unknown }>(
    sql`SELECT parts.key AS key, messages.session_id AS session, messages.sequence AS sequence,
        parts.part_index AS part, parts.body AS text
        FROM parts JOIN messages ON messages.id = parts.message_id
        WHERE parts.key > ${key} AND (${sql.raw(canName('parts.body'))}) ORDER BY parts.key LIMIT ${PARTS_AT_ONCE}`,
  );
}

/** A compressed text can contain a reference that SQLite does not see. */
function canName(column: string): string {
  return `typeof(${column}) = 'blob' OR instr(${column}, '@blob:') > 0 OR instr(${column}, '@tree:') > 0`;
}
