import { parsePostgresUrl, shownPostgresAddress } from './postgres-address.ts';
import type { PostgresStore } from './postgres-store.ts';

export interface PostgresStoreOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME`. */
  url: string;
  /**
   * `read`: the tables are not created or changed, so that a replica can be read. Every write then fails with
   * `store_readonly`. Default `write`.
   */
  access?: 'read' | 'write';
  /** Default: 10. */
  maxConnections?: number;
  /** A query without an answer for so long fails, and its connection counts as lost. Default: queries take any time. */
  silentMs?: number | undefined;
  /** Returns where other servers of a cluster reach this process. Stored with its leases. */
  serverAddress?: (() => string | undefined) | undefined;
  /** Replaces the server's clock, in milliseconds since 1970. For tests. */
  now?: () => number;
  /** Milliseconds since the machine started, from a clock that cannot be set. Default: the machine's. */
  uptime?: () => number;
}

/**
 * Opens a store in a PostgreSQL database. Creates its tables, or migrates them to this program's version. Several
 * programs on several machines may open one database.
 *
 * @throws {LonghaulError} `config_invalid`, `store_unavailable`, `store_readonly`, `store_newer`, `store_full`.
 * @example await using store = await openPostgresStore({ url: 'postgres://me@db.example.com/longhaul' });
 */
export async function openPostgresStore({
  url,
  access = 'write',
  maxConnections,
  silentMs,
  serverAddress,
  ...clocks
}: PostgresStoreOptions): Promise<PostgresStore> {
  const address = parsePostgresUrl(url);
  const shown = shownPostgresAddress(address);
  const [
    { connect },
    { prepareDatabase },
    { readServerClock },
    { createPostgresStore },
    { mapPostgresError },
  ] = await Promise.all([
    import('./connection.ts'),
    import('./prepare-database.ts'),
    import('./server-clock.ts'),
    import('./postgres-store.ts'),
    import('./postgres-errors.ts'),
  ]);
  const connection = connect(address, { maxConnections, silentMs });
  try {
    await prepareDatabase(connection, { address: shown, schema: address.schema, access });
    const clock = await readServerClock(connection, clocks);
    return createPostgresStore(connection, {
      address: shown,
      schema: address.schema,
      clock,
      serverAddress,
    });
  } catch (error) {
    await connection.pool.end();
    throw mapPostgresError(error, shown);
  }
}
