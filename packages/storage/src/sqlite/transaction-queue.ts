import type { Connection } from './connection.ts';
import type { DatabaseFile } from './database-file.ts';

interface Operation {
  run: () => void;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: the writes of one event-loop iteration share one transaction, and so one wait for the disk. Each write
 * still succeeds or fails on its own. On an idle process the iteration ends within microseconds. With hundreds of
 * streaming sessions, their writes share one wait for the disk.
 *
 * A batch first runs without savepoints. If one of its writes throws, the batch is rolled back and runs again with a
 * savepoint around each write. Savepoints would double the statements in the usual case. A write may therefore run
 * twice and must depend on the database only.
 */
export class TransactionQueue {
  readonly #connection: Connection;
  readonly #mapError: (thrown: unknown) => unknown;
  readonly #forget: () => void;
  readonly #file: DatabaseFile | undefined;
  #dataVersion: number | undefined;
  #pending: Operation[] = [];

  /**
   * `forget` is called when cached database state may be outdated: after a rollback, and after another connection's
   * commit.
   */
  constructor(
    connection: Connection,
    options: { mapError: (thrown: unknown) => unknown; forget: () => void; file?: DatabaseFile },
  ) {
    this.#connection = connection;
    this.#mapError = options.mapError;
    this.#forget = options.forget;
    this.#file = options.file;
  }

  /** Runs `write` in the transaction of this event-loop iteration. Resolves once the transaction is committed. */
  write<T>(write: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: { value: T } | undefined;
      this.#pending.push({
        run: () => {
          result = { value: write() };
        },
        resolve: () => {
          if (result !== undefined) resolve(result.value);
        },
        reject,
      });
      if (this.#pending.length === 1) setImmediate(() => this.flush());
    });
  }

  /** Runs `read` on one snapshot, after all writes that were called before it have succeeded or failed. */
  async read<T>(read: () => T): Promise<T> {
    if (this.#pending.length > 0) {
      await new Promise<void>((resolve) => {
        this.#pending.push({ run: () => {}, resolve, reject: () => resolve() });
      });
    }
    try {
      this.#begin('BEGIN');
      return read();
    } catch (error) {
      throw this.#mapError(error);
    } finally {
      this.#rollback();
    }
  }

  flush(): void {
    const batch = this.#pending;
    this.#pending = [];
    if (batch.length === 0) return;
    try {
      this.#file?.assertInPlace();
      const failed = this.#runBare(batch) ?? this.#runIsolated(batch);
      for (const operation of batch) {
        if (!failed.has(operation)) operation.resolve();
      }
      for (const [operation, error] of failed) operation.reject(this.#mapError(error));
      this.#file?.keepLogSmall();
    } catch (error) {
      // The transaction itself could not begin or commit. No write of the batch is stored.
      this.#abandon();
      for (const operation of batch) operation.reject(this.#mapError(error));
    }
  }

  /** Returns undefined if one of several writes threw. All of them are then rolled back. */
  #runBare(batch: readonly Operation[]): Map<Operation, unknown> | undefined {
    this.#begin('BEGIN IMMEDIATE');
    let alone: Map<Operation, unknown> | undefined;
    for (const operation of batch) {
      try {
        operation.run();
      } catch (error) {
        this.#abandon();
        if (batch.length > 1) return undefined;
        alone = new Map([[operation, error]]);
      }
    }
    if (alone !== undefined) return alone;
    this.#connection.exec('COMMIT');
    return new Map();
  }

  #runIsolated(batch: readonly Operation[]): Map<Operation, unknown> {
    const failed = new Map<Operation, unknown>();
    this.#begin('BEGIN IMMEDIATE');
    for (const operation of batch) {
      this.#connection.exec('SAVEPOINT one');
      try {
        operation.run();
      } catch (error) {
        // A full disk ends the whole transaction, so the savepoint no longer exists.
        if (!this.#connection.inTransaction) throw error;
        this.#connection.exec('ROLLBACK TO one');
        this.#forget();
        failed.set(operation, error);
      }
      this.#connection.exec('RELEASE one');
    }
    this.#connection.exec('COMMIT');
    return failed;
  }

  #begin(statement: 'BEGIN' | 'BEGIN IMMEDIATE'): void {
    this.#connection.exec(statement);
    const version = this.#connection.dataVersion();
    if (version !== this.#dataVersion) this.#forget();
    this.#dataVersion = version;
  }

  #abandon(): void {
    this.#rollback();
    this.#forget();
  }

  #rollback(): void {
    if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
  }
}
