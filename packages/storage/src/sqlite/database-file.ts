import { type BigIntStats, statSync } from 'node:fs';
import { LonghaulError } from '@longhaul/protocol';
import type { Connection } from './connection.ts';

/**
 * What a log is cut down to whenever it begins anew. SQLite itself leaves the file as large as it ever was. Source:
 * https://sqlite.org/pragma.html#pragma_journal_size_limit
 */
export const LOG_BYTES = 8 * 1024 * 1024;

/** From here on the log is emptied, even if that means to wait for its readers. */
const LARGE_LOG_BYTES = 16 * 1024 * 1024;
/** How long the readers are waited for: everything in this process stands still meanwhile. */
const WAIT_FOR_READERS_MS = 100;
/** Between tries that fail, unless the log has grown by as much again. */
const BETWEEN_TRIES_MS = 1000;
/** A write is seldom more than a few pages: the log's size need not be asked for after each. */
const WRITES_BETWEEN_LOOKS = 8;

/** The file behind a connection: that it is still there, and that its write-ahead log stays small. Nothing to do for `:memory:`. */
export class DatabaseFile {
  readonly #path: string;
  readonly #connection: Connection;
  readonly #busyTimeoutMs: number;
  readonly #opened: BigIntStats | undefined;
  #writes = 0;
  /** The log's size at the last try to empty it. */
  #triedBytes = 0;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection, options: { path: string; busyTimeoutMs: number }) {
    this.#connection = connection;
    this.#path = options.path;
    this.#busyTimeoutMs = options.busyTimeoutMs;
    this.#opened = options.path === ':memory:' ? undefined : infoOf(options.path);
  }

  /**
   * A file that was deleted or replaced while it is open takes writes as before, and all of them are gone with the process.
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
      `The database ${this.#path} was ${what} while it was in use. What came since is not stored. Put the file back, with its -wal ` +
        'file, and start again.',
      { data: { path: this.#path, isGone: now === undefined } },
    );
  }

  /**
   * To be called after commits. SQLite copies the log into the database by itself, but begins the log anew only when nobody reads from
   * it at that moment: under readers that overlap it would grow for ever.
   */
  keepLogSmall(): void {
    if (this.#opened === undefined) return;
    this.#writes += 1;
    if (this.#writes % WRITES_BETWEEN_LOOKS !== 0) return;
    const size = Number(infoOf(`${this.#path}-wal`)?.size ?? 0n);
    const now = performance.now();
    if (size < LARGE_LOG_BYTES) {
      this.#triedBytes = 0;
      return;
    }
    const isDue = size >= this.#triedBytes + LARGE_LOG_BYTES || now - this.#triedAt >= BETWEEN_TRIES_MS;
    if (!isDue) return;
    this.#triedAt = now;
    this.#triedBytes = size;
    this.#emptyLog();
  }

  #emptyLog(): void {
    try {
      this.#connection.exec(
        `PRAGMA busy_timeout = ${WAIT_FOR_READERS_MS}; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = ${this.#busyTimeoutMs}`,
      );
    } catch {
      // What was committed is safe in the log. If the disk fails, the next write says so.
      this.#connection.exec(`PRAGMA busy_timeout = ${this.#busyTimeoutMs}`);
    }
  }
}

function infoOf(path: string): BigIntStats | undefined {
  // A disk that is gone is as bad as a file that is.
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
