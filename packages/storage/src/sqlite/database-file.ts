import { type BigIntStats, statSync } from 'node:fs';
import { LonghaulError } from '@longhaul/protocol';
import type { Connection } from './connection.ts';

/**
 * Size to which SQLite truncates the write-ahead log when it restarts it. By default SQLite never shrinks the file.
 * Source: https://sqlite.org/pragma.html#pragma_journal_size_limit
 */
export const LOG_BYTES = 8 * 1024 * 1024;

/** Size from which the log is truncated, with a short wait for readers. */
const LARGE_LOG_BYTES = 16 * 1024 * 1024;
const SHORT_WAIT_MS = 100;
const BETWEEN_SHORT_WAITS_MS = 1000;

/**
 * Size from which writes wait longer for readers to finish. A reader stops using the log once it is completely in the
 * database. The wait is long enough for readers on a busy machine. If it fails, the next long wait comes after the log
 * has doubled in size.
 */
const HUGE_LOG_BYTES = 2 * LARGE_LOG_BYTES;
const LONG_WAIT_MS = 2000;

export interface DatabaseFileOptions {
  path: string;
  busyTimeoutMs: number;
  /** How long a write waits for the readers of a huge log. Default 2 000. */
  longWaitMs?: number | undefined;
}

/**
 * Checks that a connection's file is still in place and keeps its write-ahead log small. Does nothing for `:memory:`.
 */
export class DatabaseFile {
  readonly #path: string;
  readonly #connection: Connection;
  readonly #busyTimeoutMs: number;
  readonly #opened: BigIntStats | undefined;
  #waitedShortAt = Number.NEGATIVE_INFINITY;
  readonly #longWaitMs: number;
  /** Log size from which writes wait longer for readers. */
  #longWaitBytes = HUGE_LOG_BYTES;

  constructor(connection: Connection, options: DatabaseFileOptions) {
    this.#connection = connection;
    this.#longWaitMs = options.longWaitMs ?? LONG_WAIT_MS;
    this.#path = options.path;
    this.#busyTimeoutMs = options.busyTimeoutMs;
    this.#opened = options.path === ':memory:' ? undefined : infoOf(options.path);
  }

  /**
   * Checks that the file was not deleted or replaced while it is open. Such a file still accepts writes, but they are
   * lost when the process ends.
   *
   * @throws {LonghaulError} `store_unavailable`
   */
  assertInPlace(): void {
    if (this.#opened === undefined) return;
    const now = infoOf(this.#path);
    if (now?.ino === this.#opened.ino && now.dev === this.#opened.dev) return;
    const what = now === undefined ? 'deleted or moved' : 'replaced by another file';
    throw new LonghaulError(
      'store_unavailable',
      `The database ${this.#path} was ${what} while it was in use. Later changes are not stored. Restore the file together with its -wal ` +
        'file, then restart.',
      { data: { path: this.#path, isGone: now === undefined } },
    );
  }

  /**
   * Call this after each commit. SQLite copies the log into the database itself, but restarts the log only at a moment
   * without readers. With overlapping readers the log would grow without limit.
   */
  keepLogSmall(): void {
    if (this.#opened === undefined) return;
    const size = this.#logSize();
    if (size < LARGE_LOG_BYTES) this.#longWaitBytes = HUGE_LOG_BYTES;
    else if (size >= this.#longWaitBytes) this.#waitLong(size);
    else if (performance.now() - this.#waitedShortAt >= BETWEEN_SHORT_WAITS_MS) this.#waitShort();
  }

  /** Uses several short attempts, because within one attempt SQLite checks for readers less and less often. */
  #waitLong(size: number): void {
    const deadline = performance.now() + this.#longWaitMs;
    while (performance.now() < deadline) {
      this.#emptyLog(SHORT_WAIT_MS);
      if (this.#logSize() < size) return;
    }
    this.#longWaitBytes = 2 * size;
  }

  #waitShort(): void {
    const isStuck = this.#longWaitBytes > HUGE_LOG_BYTES;
    this.#emptyLog(isStuck ? 0 : SHORT_WAIT_MS);
    this.#waitedShortAt = performance.now();
  }

  /** Blocks the whole process while it waits. */
  #emptyLog(waitMs: number): void {
    const connection = this.#connection;
    try {
      connection.exec(`PRAGMA busy_timeout = ${waitMs}; PRAGMA wal_checkpoint(TRUNCATE)`);
    } catch {
      // Committed data is safe in the log. If the disk fails, the next write reports it.
    } finally {
      connection.exec(`PRAGMA busy_timeout = ${this.#busyTimeoutMs}`);
    }
  }

  #logSize(): number {
    return Number(infoOf(`${this.#path}-wal`)?.size ?? 0n);
  }
}

function infoOf(path: string): BigIntStats | undefined {
  // A missing disk is treated like a missing file.
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
