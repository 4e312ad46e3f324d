import type { IncomingMessage } from 'node:http';
import { isLoopback } from '@longhaul/models';

/**
 * Whether a page of another site could send this request without a CORS preflight. Browsers send such "simple" requests
 * to any address and only hide the answer, so a page could spend a model's time or a key's money. Browsers send JSON
 * only after the upstream has allowed it. False for GET, HEAD and OPTIONS, and for pages of this machine.
 */
export function skipsPreflight(request: IncomingMessage): boolean {
  const { method, headers } = request;
  const { origin } = headers;
  if (origin === undefined || method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return false;
  const isOwn = URL.canParse(origin) && isLoopback(new URL(origin).hostname.replace(/^\[|\]$/g, ''));
  return !isOwn && !isJson(request);
}

/** Whether a browser asks if a page may send a request. Carries no key. Source: Fetch, "CORS-preflight request". */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Returns CORS headers for an answer of the gateway itself. The upstream has already allowed a request that needed a
 * preflight. Without these headers its page could read neither notices nor errors of the gateway.
 */
export function allowingHeaders(request: IncomingMessage): Record<string, string> {
  const { origin, authorization } = request.headers;
  if (origin === undefined || (authorization === undefined && !isJson(request))) return {};
  return { 'access-control-allow-origin': origin, vary: 'origin' };
}

/** `text/plain; x=json` is plain text, and browsers send it without a preflight. */
function isJson({ headers }: IncomingMessage): boolean {
  return /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}
