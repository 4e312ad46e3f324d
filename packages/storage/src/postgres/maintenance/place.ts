import { LonghaulError } from '@longhaul/protocol';
import type { BlobSpace } from '../../blobs/blob-space.ts';
import { readDatabaseId } from '../blobs/database-id.ts';
import { type Connection, connect } from '../connection.ts';
import { parsePostgresUrl, shownPostgresAddress } from '../postgres-address.ts';
import { mapPostgresError } from '../postgres-errors.ts';
import { readServerClock } from '../server-clock.ts';
import type { BlobPlace } from './sweep-blobs.ts';

export interface PostgresPlace {
  /** Of a database whose tables are those of this program. */
  url: string;
  blobs: BlobSpace;
}

/** Connects to the database of a place, and reads the server's clock. */
export async function withPlace<T>(
  { url, blobs }: PostgresPlace,
  options: { now?: (() => number) | undefined },
  work: (place: { blobPlace: BlobPlace; now: () => number }) => Promise<T>,
): Promise<T> {
  const parsed = parsePostgresUrl(url);
  const address = shownPostgresAddress(parsed);
  const connection: Connection = connect(parsed, { maxConnections: 2 });
  try {
    const clock = await readServerClock(connection, { now: options.now });
    const userId = await readDatabaseId(connection.db, parsed.schema);
    return await work({ blobPlace: { connection, address, blobs, userId }, now: () => clock.now() });
  } catch (error) {
    throw error instanceof LonghaulError ? error : mapPostgresError(error, address);
  } finally {
    await connection.pool.end();
  }
}
