import type { ApiSchemaSource } from './schema-source.ts';

/** The server, and how it is called. */
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
   * What validates the responses: `() => import('@longhaul/protocol/api')`, which contains zod, so it is not part of the
   * client. A promise is for pages that load it after their first view: responses that arrive before are not validated.
   * Default: responses are only checked to be JSON.
   */
  schemas?: ApiSchemaSource;
}
