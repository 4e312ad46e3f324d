import { eq } from 'drizzle-orm';
import type { Db } from '../connection.ts';
import { dyingBlobs } from '../schema.ts';

/**
 * Removes the mark of garbage collection from a blob that is about to be stored. The caller then looks whether there is
 * such a blob.
 */
export async function keepBlob(db: Db, id: string): Promise<void> {
  await db.delete(dyingBlobs).where(eq(dyingBlobs.id, id));
}
