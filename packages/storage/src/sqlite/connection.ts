import { pathToFileURL } from 'node:url';
import type { SQLiteAsyncDatabase } from 'drizzle-orm/sqlite-core/async/db';
import { lazy } from '../shared/lazy.ts';

export type Drizzle = SQLiteAsyncDatabase<'sync', { lastInsertRowid: number | bigint }>;

/** A synchronous connection with the same interface for Node's and Bun's SQLite. */
export interface Connection {
  readonly db: Drizzle;
  readonly inTransaction: boolean;
  /** Changes when another connection, in this or another process, has committed a change. */
  dataVersion(): number;
  /**
   * Yields the rows of a query, one at a time. Integers may be `bigint`: damage can make them too large for a number.
   */
  rows(sql: string, ...values: RowValue[]): Iterable<Record<string, unknown>>;
  /** Runs statements without parameters. */
  exec(sql: string): void;
  close(): void;
}

export type RowValue = string | number | bigint | null;

export interface ConnectOptions {
  readOnly?: boolean;
  /** The file cannot change, so SQLite needs no lock and no file beside it. Has no effect with Bun. */
  immutable?: boolean;
}

export async function connect(path: string, options: ConnectOptions = {}): Promise<Connection> {
  return process.versions['bun'] === undefined ? connectNode(path, options) : connectBun(path, options);
}

async function connectNode(
  path: string,
  { readOnly = false, immutable = false }: ConnectOptions,
): Promise<Connection> {
  const [{ DatabaseSync }, { drizzle }] = await Promise.all([
    import('node:sqlite'),
    import('drizzle-orm/node-sqlite'),
  ]);
  const client = new DatabaseSync(immutable ? immutableUrl(path) : path, { readOnly });
  const version = lazy(() => client.prepare('PRAGMA data_version'));
  return {
    db: drizzle({ client }),
    get inTransaction() {
      return client.isTransaction;
    },
    dataVersion: () => Number(version().get()?.['data_version']),
    rows: (sql, ...values) => {
      const statement = client.prepare(sql);
      statement.setReadBigInts(true);
      return statement.iterate(...values);
    },
    exec: (sql) => client.exec(sql),
    close: () => client.close(),
  };
}

/** Source: https://sqlite.org/uri.html#uriimmutable */
export function immutableUrl(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return url;
}

async function connectBun(path: string, { readOnly = false }: ConnectOptions): Promise<Connection> {
  const [{ Database }, { drizzle }] = await Promise.all([
    import('bun:sqlite'),
    import('drizzle-orm/bun-sqlite'),
  ]);
  const client = new Database(path, readOnly ? { readonly: true } : { readwrite: true, create: true });
  const version = lazy(() => client.prepare('PRAGMA data_version'));
  return {
    db: drizzle({ client }),
    get inTransaction() {
      return client.inTransaction;
    },
    dataVersion: () => Number(version().get()?.['data_version']),
    rows: (sql, ...values) => client.prepare(sql).iterate(...values),
    exec: (sql) => client.exec(sql),
    close: () => client.close(),
  };
}
