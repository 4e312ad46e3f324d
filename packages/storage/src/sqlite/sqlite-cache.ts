import type { CacheHit, CacheLimits, CacheStore } from '@longhaul/models';
import { cacheLimits } from '../shared/cache-limits.ts';
import { storeClosed } from '../shared/store-errors.ts';
import { type CacheTable, createCacheTable } from './cache-table.ts';
import type { Connection } from './connection.ts';
import type { DatabaseFile } from './database-file.ts';
import { mapSqliteError } from './sqlite-errors.ts';
import type { SqliteStoreOptions } from './sqlite-store-options.ts';
import { TransactionQueue } from './transaction-queue.ts';

export interface SqliteCacheOptions extends SqliteStoreOptions, CacheLimits {}

/** A cache in an SQLite file with its own connection. Use `openSqliteCache` to open one. */
export class SqliteCache implements CacheStore {
  readonly #connection: Connection;
  readonly #table: CacheTable;
  readonly #transactions: TransactionQueue;
  #closed = false;

  constructor(connection: Connection, file: DatabaseFile, options: SqliteCacheOptions) {
    const { path, now = Date.now } = options;
    this.#connection = connection;
    this.#table = createCacheTable(connection.db, { limits: cacheLimits(options), now });
    this.#transactions = new TransactionQueue(connection, {
      file,
      mapError: (thrown) => mapSqliteError(thrown, path),
      forget: () => this.#table.forget(),
    });
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.getFirst([key]))?.value;
  }

  async getFirst(keys: readonly string[]): Promise<CacheHit | undefined> {
    if (this.#closed) throw storeClosed();
    const found = await this.#transactions.read(() => this.#table.first(keys));
    if (found === undefined) return undefined;
    const { key, value, isStale } = found;
    if (isStale) await this.#write(() => this.#table.markUsed(key));
    return { key, value };
  }

  set(key: string, value: string): Promise<void> {
    return this.#write(() => this.#table.put(key, value));
  }

  delete(key: string): Promise<void> {
    return this.#write(() => this.#table.remove(key));
  }

  /** Stores all writes made before the call, then closes. A second call does nothing. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#transactions.flush();
    this.#connection.close();
  }

  async #write(write: () => void): Promise<void> {
    if (this.#closed) throw storeClosed();
    return this.#transactions.write(write);
  }
}
