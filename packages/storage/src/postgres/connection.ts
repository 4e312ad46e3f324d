import type { SQL } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { connectionOf, type PostgresAddress } from './postgres-address.ts';
import { withCode } from './postgres-errors.ts';
import { endIfSilent } from './silence.ts';

/** The pool, or a transaction. The queries of a transaction run one after the other. */
export type Db = Pick<
  NodePgDatabase,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'execute'
>;

export interface Connection {
  readonly pool: pg.Pool;
  readonly db: NodePgDatabase;
  readonly config: pg.ClientConfig;
  /** See `PostgresStoreOptions`. */
  readonly silentMs: number | undefined;
}

const MAX_CONNECTIONS = 10;
const CONNECT_MS = 10_000;
/** An unused connection is closed after this time. */
const IDLE_MS = 60_000;
const SETTINGS = {
  /** As long as SQLite's busy timeout. */
  lock_timeout: '5000',
  /** Ends what a suspended program holds. */
  idle_in_transaction_session_timeout: '60000',
};

/** Creates a pool. It connects when it is used. */
export function connect(
  address: PostgresAddress,
  {
    maxConnections = MAX_CONNECTIONS,
    silentMs,
  }: { maxConnections?: number | undefined; silentMs?: number | undefined } = {},
): Connection {
  const config = clientConfig(address);
  const pool = new CodedPool({ ...config, max: maxConnections, idleTimeoutMillis: IDLE_MS });
  // The query on a lost connection reports the loss. Without a listener, the event would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    if (silentMs !== undefined) endIfSilent(client, silentMs);
  });
  return { pool, db: drizzle({ client: pool, paramsInErrors: false }), config, silentMs };
}

function clientConfig(address: PostgresAddress): pg.ClientConfig {
  const settings = { ...SETTINGS, search_path: address.schema };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return {
    ...connectionOf(address),
    application_name: 'longhaul',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    options: options.join(' '),
  };
}

/** The driver gives no code to some errors of connecting. */
class CodedPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(
    callback: (
      error: Error | undefined,
      client: pg.PoolClient | undefined,
      done: (release?: unknown) => void,
    ) => void,
  ): void;
  override connect(
    callback?: (
      error: Error | undefined,
      client: pg.PoolClient | undefined,
      done: (release?: unknown) => void,
    ) => void,
  ): Promise<pg.PoolClient> | undefined {
    if (callback !== undefined) {
      super.connect((error, client, done) => callback(withCode(error), client, done));
      return undefined;
    }
    return super.connect().catch((error: unknown) => {
      throw withCode(error);
    });
  }
}

/** Runs a statement that drizzle has no words for. */
export async function rowsOf<Row extends Record<string, unknown>>(
  db: Pick<Db, 'execute'>,
  statement: SQL,
): Promise<Row[]> {
  const { rows }: pg.QueryResult<Row> = (await db.execute<Record<string, unknown>>(
    statement,
  )) as pg.QueryResult<Row>;
  return rows;
}
