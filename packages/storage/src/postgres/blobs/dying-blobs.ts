import { asc, eq, inArray } from 'drizzle-orm';
import type { Db } from '../connection.ts';
import { dyingBlobs } from '../schema.ts';
import { inserted } from '../tables/messages.ts';

/**
 * Garbage collection deletes a blob in two phases, because programs on other machines store blobs in the meantime. First
 * it marks the blob. A program that stores the same blob removes the mark before it looks whether there is such a blob.
 * Much later, if the mark is still there and still nothing refers to the blob, the blob is deleted while its mark is
 * locked: then a program that stores it waits, finds nothing, and stores it again.
 */
export async function keepBlob(db: Db, id: string): Promise<void> {
  await db.delete(dyingBlobs).where(eq(dyingBlobs.id, id));
}

/** Returns the marked blobs, each with the time of its mark. */
export async function readDying(db: Db): Promise<Map<string, number>> {
  const rows = await db.select().from(dyingBlobs);
  return new Map(rows.map(({ id, since }) => [id, since]));
}

export async function markDying(db: Db, ids: readonly string[], since: number): Promise<void> {
  const rows = ids.map((id) => ({ id, since }));
  await inserted(rows, (some) => db.insert(dyingBlobs).values(some).onConflictDoNothing());
}

/** Removes the marks of blobs. */
export async function unmark(db: Db, ids: readonly string[]): Promise<void> {
  await inserted(ids, (some) => db.delete(dyingBlobs).where(inArray(dyingBlobs.id, some)));
}

/**
 * Locks those of the blobs that were marked at `until` or before, and returns them. No program can begin to store them
 * until the transaction ends. The order of the ids prevents deadlocks with another garbage collection.
 */
export async function lockDying(db: Db, ids: readonly string[], until: number): Promise<string[]> {
  const rows = await db
    .select()
    .from(dyingBlobs)
    .where(inArray(dyingBlobs.id, [...ids]))
    .orderBy(asc(dyingBlobs.id))
    .for('update');
  return rows.filter(({ since }) => since <= until).map(({ id }) => id);
}
