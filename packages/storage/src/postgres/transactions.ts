import { setTimeout as sleep } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import { type Connection, type Db, rowsOf } from './connection.ts';
import { isLost, NO_CONNECTION, outcomeUnknown } from './postgres-errors.ts';
import { withRetries } from './retries.ts';

/**
 * The number of the server's timeline. It grows each time a replica becomes the primary server, which may lack the
 * newest rows.
 */
export const TIMELINE =
  sql<number>`('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int`.mapWith(Number);

/** How often the state of a transaction that still runs is read. It ends when the server notices the lost connection. */
const LOOKUPS = 50;
const LOOKUP_PAUSE_MS = 100;

type Mark = { xid: string; timeline: number };

/**
 * Runs a write in a transaction, again after a conflict or a lost connection. If the connection is lost while it
 * commits, the outcome is looked up by the transaction's id. `work` may run several times, and must depend on the
 * database and its arguments only.
 *
 * @param options.last A statement that is sent with the last query of the transaction: a query of its own would keep
 * the locks for another round trip.
 * @throws {LonghaulError} `store_unavailable` with `isUnknown` in its data, if the outcome cannot be looked up.
 */
export async function writeTransaction<T>(
  { db, address, last }: Pick<Connection, 'db'> & { address: string; last?: SQL },
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  let committing: { mark: Mark; value: T } | undefined;
  try {
    return await withRetries(async () => {
      if (committing !== undefined && (await isCommitted(db, committing.mark))) return committing.value;
      committing = undefined;
      return db.transaction(async (tx) => {
        const value = await work(tx);
        const [mark] = await rowsOf<Mark>(
          tx,
          sql`${last === undefined ? sql`` : sql`WITH last AS (${last})`} SELECT pg_current_xact_id()::text AS xid, ${TIMELINE} AS timeline`,
        );
        if (mark !== undefined) committing = { mark, value };
        return value;
      });
    });
  } catch (error) {
    if (committing !== undefined && isLost(error)) throw outcomeUnknown(address, error);
    throw error;
  }
}

/** Runs reads on one snapshot. */
export function readTransaction<T>({ db }: Pick<Connection, 'db'>, work: (tx: Db) => Promise<T>): Promise<T> {
  return withRetries(() =>
    db.transaction(work, { isolationLevel: 'repeatable read', accessMode: 'read only' }),
  );
}

/** @throws {Error} A lost connection, if the transaction still runs, or ran on a server that was replaced. */
async function isCommitted(db: Connection['db'], { xid, timeline }: Mark): Promise<boolean> {
  for (let lookup = 0; lookup < LOOKUPS; lookup += 1) {
    const [row] = await rowsOf<{ status: string | null; timeline: number }>(
      db,
      sql`SELECT CASE WHEN ${TIMELINE} = ${timeline} THEN pg_xact_status(${xid}::text::xid8) END AS status, ${TIMELINE} AS timeline`,
    );
    if (row?.status === 'committed') return true;
    if (row?.status === 'aborted') return false;
    if (row?.timeline !== timeline) break;
    await sleep(LOOKUP_PAUSE_MS);
  }
  throw Object.assign(new Error('The outcome of a transaction is unknown.'), { code: NO_CONNECTION });
}
