export interface SqliteStoreOptions {
  /** The database file, made with its folder if missing; or `:memory:`. */
  path: string;
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
  /** Milliseconds since the machine started, which no one can set. Default: the machine's. */
  uptime?: () => number;
  /** How long to wait for another process's write. Default 5 000. */
  busyTimeoutMs?: number;
}
