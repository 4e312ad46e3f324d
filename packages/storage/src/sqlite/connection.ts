import type { SQLiteAsyncDatabase } from 'drizzle-orm/sqlite-core/async/db';

export type Drizzle = SQLiteAsyncDatabase<'sync', unknown>;

/** One connection, the same on Node's and on Bun's SQLite. Everything in it is synchronous. */
export interface Connection {
  readonly db: Drizzle;
  readonly inTransaction: boolean;
  /** Runs statements without parameters. */
  exec(sql: string): void;
  close(): void;
}

export async function connect(path: string): Promise<Connection> {
  return process.versions['bun'] === undefined ? connectNode(path) : connectBun(path);
}

async function connectNode(path: string): Promise<Connection> {
  const [{ DatabaseSync }, { drizzle }] = await Promise.all([
    import('node:sqlite'),
    import('drizzle-orm/node-sqlite'),
  ]);
  const client = new DatabaseSync(path);
  return {
    db: drizzle({ client }),
    get inTransaction() {
      return client.isTransaction;
    },
    exec: (sql) => client.exec(sql),
    close: () => client.close(),
  };
}

async function connectBun(path: string): Promise<Connection> {
  const [{ Database }, { drizzle }] = await Promise.all([
    import('bun:sqlite'),
    import('drizzle-orm/bun-sqlite'),
  ]);
  const client = new Database(path, { readwrite: true, create: true });
  return {
    db: drizzle({ client }),
    get inTransaction() {
      return client.inTransaction;
    },
    exec: (sql) => client.exec(sql),
    close: () => client.close(),
  };
}
