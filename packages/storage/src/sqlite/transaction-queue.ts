import type { Connection } from './connection.ts';
import type { DatabaseFile } from './database-file.ts';

interface Operation {
  run: () => void;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: the writes of one turn of the event loop share one transaction, and so one wait for the disk. Each still succeeds or
 * fails alone. A turn's end is a few microseconds away where little goes on; where hundreds of sessions stream, it is what lets them
 * wait for the disk together.
 *
 * A batch first runs bare. Only when one of its writes throws is it rolled back and run again with a savepoint around each:
 * savepoints would double the statements of the usual case. A write is therefore a function of the database alone, and may run
 * twice.
 */
export class TransactionQueue {
  readonly #connection: Connection;
  readonly #mapError: (thrown: unknown) => unknown;
  readonly #forget: () => void;
  readonly #file: DatabaseFile | undefined;
  #dataVersion: number | undefined;
  #pending: Operation[] = [];

  /**
   * `forget` is called whenever what the writes remember of the database may no longer be true: after a rollback, and when another
   * connection has written.
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

  /** Runs `write` in the turn's transaction; resolves once it is committed. */
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

  /** Runs `read` on one snapshot, after the writes that were called before it: it waits with them, whether they succeed or not. */
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
      // The transaction itself failed: it could not begin, or could not commit. Nothing of the batch is stored.
      this.#abandon();
      for (const operation of batch) operation.reject(this.#mapError(error));
    }
  }

  /** Undefined when a write threw, and all were rolled back. */
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
        // A full disk ends the whole transaction; then there is no savepoint to go back to.
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
