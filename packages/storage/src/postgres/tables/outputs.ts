import type { KeptOutput, OutputRecord } from '@longhaul/core';
import { handleOf } from '@longhaul/protocol';
import { and, asc, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import { BLOB_COLUMNS } from '../../shared/blob-columns.ts';
import { type BlobUse, deletableBlobs, isNamedIn } from '../../shared/deletable-blobs.ts';
import { withoutNulls } from '../../shared/json.ts';
import { type Db, rowsOf } from '../connection.ts';
import { outputs } from '../schema.ts';

export async function listOutputs(db: Db, sessionId: string): Promise<OutputRecord[]> {
  const ofSession = eq(outputs.sessionId, sessionId);
  const rows = await db.select().from(outputs).where(ofSession).orderBy(asc(outputs.key));
  return rows.map(({ handle, blobId, bytes, keptAt, deletedAt }) =>
    withoutNulls({ handle, blobId, bytes, keptAt, deletedAt }),
  );
}

export async function addOutput(
  db: Db,
  sessionId: string,
  { output: { handle, blobId, bytes }, now }: { output: KeptOutput; now: number },
): Promise<void> {
  await db.insert(outputs).values({ handle, blobId, bytes, sessionId, keptAt: now }).onConflictDoNothing();
}

export async function deleteOutputs(
  db: Db,
  sessionId: string,
  { handles, now }: { handles: readonly string[]; now: number },
): Promise<string[]> {
  const listed = await listOutputs(db, sessionId);
  const named = listed.filter(({ handle }) => handles.includes(handle)).map(({ blobId }) => blobId);
  const uses = named.length === 0 ? [] : await usesOf(db, named);
  const usesAmong = (ids: readonly string[]) => uses.filter(({ blobId }) => ids.includes(blobId));
  const blobs = deletableBlobs(listed, { sessionId, handles, usesOf: usesAmong });
  const wanted = and(eq(outputs.sessionId, sessionId), inArray(outputs.blobId, blobs));
  if (blobs.length > 0) await db.update(outputs).set({ deletedAt: now }).where(wanted);
  return blobs;
}

/** Copies the deleted outputs up to a message, so that their handles return what happened in a fork too. */
export async function forkOutputs(
  db: Db,
  { sourceId, forkId, lastSequence }: { sourceId: string; forkId: string; lastSequence: number },
): Promise<void> {
  const deleted = await db
    .select()
    .from(outputs)
    .where(and(eq(outputs.sessionId, sourceId), isNotNull(outputs.deletedAt)))
    .orderBy(asc(outputs.key));
  for (const { key: _key, ...row } of deleted)
    if (Number(/^m(\d+)/.exec(row.handle)?.[1]) <= lastSequence)
      await db.insert(outputs).values({ ...row, sessionId: forkId });
}

/** Returns every place that names one of the blobs. The server only sends rows with one of the ids. */
async function usesOf(db: Db, blobIds: readonly string[]): Promise<BlobUse[]> {
  const ids = sql`ARRAY(SELECT '%' || named.id || '%' FROM json_array_elements_text(${JSON.stringify(blobIds)}::text::json) AS named(id))`;
  const named = (text: string) => blobIds.filter((id) => isNamedIn(text, id));
  const uses: BlobUse[] = [];
  for (const { table, column } of BLOB_COLUMNS) {
    if (table === 'parts' || table === 'cache') continue;
    const rows = await rowsOf<{ text: string }>(
      db,
      sql`SELECT ${sql.identifier(column)} AS text FROM ${sql.identifier(table)} WHERE ${sql.identifier(column)} LIKE ANY (${ids})`,
    );
    for (const { text } of rows) uses.push(...named(text).map((blobId) => ({ blobId })));
  }
  const inParts = await rowsOf<{ session: string; sequence: number; part: number; text: string }>(
    db,
    sql`SELECT session_id AS session, sequence, part_index AS part, body AS text FROM parts WHERE body LIKE ANY (${ids})`,
  );
  for (const { session, sequence, part, text } of inParts)
    for (const blobId of named(text))
      uses.push({ blobId, sessionId: session, handle: handleOf(sequence, part) });
  return uses;
}
