import type { IncomingMessage } from 'node:http';

export const ALLOWED_ORIGIN = 'access-control-allow-origin';

/**
 * Returns the CORS headers that let the page that sent a request read its answer; none if no page sent it. Only for
 * requests that `checkAccess` has allowed.
 */
export function pageHeaders({ headers: { origin } }: IncomingMessage): Record<string, string> {
  if (origin === undefined) return {};
  return { [ALLOWED_ORIGIN]: origin, 'access-control-expose-headers': '*', vary: 'origin' };
}

/** Whether a browser asks if a page may send a request. Carries no key. Source: Fetch, "CORS-preflight request". */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Returns the answer's headers to a preflight of an allowed page, which may send any request. */
export function preflightHeaders(request: IncomingMessage): Record<string, string> {
  const names = request.headers['access-control-request-headers'];
  return {
    ...pageHeaders(request),
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    // A wildcard would not include `Authorization`.
    ...(names === undefined ? {} : { 'access-control-allow-headers': names }),
    'access-control-max-age': '600',
  };
}
