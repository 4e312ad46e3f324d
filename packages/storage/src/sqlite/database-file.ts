import { type BigIntStats, statSync } from 'node:fs';
import { LonghaulError } from '@longhaul/protocol';
import type { Connection } from './connection.ts';

/**
 * What a log is cut down to whenever it begins anew. SQLite itself leaves the file as large as it ever was. Source:
 * https://sqlite.org/pragma.html#pragma_journal_size_limit
 */
export const LOG_BYTES = 8 * 1024 * 1024;

/** From here on the log is emptied, with a short wait for its readers. */
const LARGE_LOG_BYTES = 16 * 1024 * 1024;
const SHORT_WAIT_MS = 100;
const BETWEEN_SHORT_WAITS_MS = 1000;

/**
 * From here on writes wait for readers, who pass the log by as soon as all of it is in the database. Long enough for those of a machine that
 * is busy; a reader that is in one read for longer is not waited for again until the log has grown to twice its size.
 */
const HUGE_LOG_BYTES = 2 * LARGE_LOG_BYTES;
const LONG_WAIT_MS = 2000;

/** The file behind a connection: that it is still there, and that its write-ahead log stays small. Nothing to do for `:memory:`. */
export class DatabaseFile {
  readonly #path: string;
  readonly #connection: Connection;
  readonly #busyTimeoutMs: number;
  readonly #opened: BigIntStats | undefined;
  #waitedShortAt = Number.NEGATIVE_INFINITY;
  /** The size from which on readers are waited for. */
  #longWaitBytes = HUGE_LOG_BYTES;

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
    const size = this.#logSize();
    if (size < LARGE_LOG_BYTES) this.#longWaitBytes = HUGE_LOG_BYTES;
    else if (size >= this.#longWaitBytes) this.#waitLong(size);
    else if (performance.now() - this.#waitedShortAt >= BETWEEN_SHORT_WAITS_MS) this.#waitShort();
  }

  /** By tries one after another: within one, SQLite looks less and less often whether the readers have gone by. */
  #waitLong(size: number): void {
    const deadline = performance.now() + LONG_WAIT_MS;
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

  /** Everything in this process stands still while it waits. */
  #emptyLog(waitMs: number): void {
    const connection = this.#connection;
    try {
      connection.exec(`PRAGMA busy_timeout = ${waitMs}; PRAGMA wal_checkpoint(TRUNCATE)`);
    } catch {
      // What was committed is safe in the log. If the disk fails, the next write says so.
    } finally {
      connection.exec(`PRAGMA busy_timeout = ${this.#busyTimeoutMs}`);
    }
  }

  #logSize(): number {
    return Number(infoOf(`${this.#path}-wal`)?.size ?? 0n);
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
