import type { PgAsyncDatabase } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import type { PostgresAddress } from './postgres-address.ts';

/** The pool, or a transaction. */
export type Db = Pick<
  PgAsyncDatabase<PostgresJsQueryResultHKT>,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'execute'
>;

export interface Connection {
  readonly client: postgres.Sql<{ bigint: number }>;
  readonly db: PgAsyncDatabase<PostgresJsQueryResultHKT>;
}

const MAX_CONNECTIONS = 10;
const CONNECT_SECONDS = 10;
/** An unused connection is closed after this time. */
const IDLE_SECONDS = 60;
/** As long as SQLite's busy timeout. */
const LOCK_TIMEOUT_MS = 5_000;
/** Ends what a suspended program holds. */
const IDLE_TRANSACTION_MS = 60_000;

/** Creates a pool. It connects when it is used. */
export function connect(
  { host, port, user, password, database, schema, sslmode }: PostgresAddress,
  { maxConnections = MAX_CONNECTIONS }: { maxConnections?: number } = {},
): Connection {
  const client = postgres({
    ...(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }),
    user,
    ...(password === undefined ? {} : { password }),
    database,
    ssl: sslmode === 'disable' ? false : (sslmode as 'prefer'),
    max: maxConnections,
    connect_timeout: CONNECT_SECONDS,
    idle_timeout: IDLE_SECONDS,
    fetch_types: false,
    onnotice: () => {},
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    connection: {
      application_name: 'longhaul',
      search_path: schema,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
      default_transaction_isolation: 'read committed',
    },
  });
  return { client, db: drizzle({ client }) };
}
