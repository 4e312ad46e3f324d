import type { ApiSchemas } from './schema-source.ts';

export interface ClientOptions {
  /** Address of the server, such as `http://127.0.0.1:4140`. It may include a path prefix before `/api`. */
  baseUrl: string;
  /** The token from the token file of `longhaul serve`. */
  token?: string;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Maximum number of retries after a retryable error, for requests that are safe to repeat. Default: 3. */
  retries?: number;
  /** Milliseconds before the first retry. The delay doubles, up to 30 s. Default: 500. */
  retryDelayMs?: number;
  /**
   * What validates the responses, if a page loads it after its first view. Responses that arrive before are not
   * validated. Default: every response is validated.
   */
  lateSchemas?: Promise<ApiSchemas>;
}
