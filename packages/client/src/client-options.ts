export interface ClientOptions {
  /** Address of the server, such as `http://127.0.0.1:4140`. A path before `/api` may stand in it. */
  baseUrl: string;
  /** What `longhaul serve` keeps in its token file. */
  token?: string;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** So often is a request tried again that may be repeated and failed for now. Default 3. */
  retries?: number;
  /** Wait before the first of these tries; it doubles, up to 30 s. Default 500. */
  retryDelayMs?: number;
}
