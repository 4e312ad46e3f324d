import type { IncomingMessage } from 'node:http';
import { isLoopback } from '@longhaul/models';

/**
 * Browsers send a page's plain requests to any address, and keep only the answer from it: that would do for using up a model, or a key. JSON they
 * send only once the upstream has allowed it (CORS).
 */
export function comesUnasked(request: IncomingMessage): boolean {
  const { method, headers } = request;
  const { origin } = headers;
  if (origin === undefined || method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return false;
  const isOwn = URL.canParse(origin) && isLoopback(new URL(origin).hostname.replace(/^\[|\]$/g, ''));
  return !isOwn && !isJson(request);
}

/** A browser's question whether a page may send something. It brings no key. Source: Fetch, "CORS-preflight request". */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Headers for an answer that is the gateway's own. A request for which its browser had to ask has been allowed by the upstream: without these, its page
 * would be shown no notice and no error of the gateway's.
 */
export function allowingHeaders(request: IncomingMessage): Record<string, string> {
  const { origin, authorization } = request.headers;
  if (origin === undefined || (authorization === undefined && !isJson(request))) return {};
  return { 'access-control-allow-origin': origin, vary: 'origin' };
}

/** `text/plain; x=json` is plain text, and sent without asking. */
function isJson({ headers }: IncomingMessage): boolean {
  return /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}
