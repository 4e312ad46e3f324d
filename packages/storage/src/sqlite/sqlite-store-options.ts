export interface SqliteStoreOptions {
  /** The database file, or `:memory:`. The file and its folder are created if missing. */
  path: string;
  /**
   * `read`: a database that cannot be written is opened for reading, and every write fails with `store_readonly`.
   * Default `write`: it is refused.
   */
  access?: 'read' | 'write';
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
  /** Milliseconds since the machine started, from a clock that cannot be set. Default: the machine's. */
  uptime?: () => number;
  /** How long to wait for another process's write lock. Default: 5 000. */
  busyTimeoutMs?: number;
}
