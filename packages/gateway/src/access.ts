import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import type { GatewaySettings } from './gateway-core.ts';
import { isPreflight, skipsPreflight } from './http/cross-origin.ts';
import { namesThisMachine } from './http/host-check.ts';

/**
 * Refuses a request that may not use the gateway.
 *
 * With a token, the request must carry it. Without one, the `Host` header must name this machine if the gateway listens
 * on loopback, and a cross-origin request must be one that browsers send only after a preflight.
 *
 * @throws {LonghaulError} `provider_auth` if the token is missing or wrong; `approval_denied` if another check fails.
 */
export function checkAccess({ host, token }: GatewaySettings, request: IncomingMessage): void {
  if (token !== undefined) {
    // A preflight carries no credentials, and the upstream answers it. The request that follows carries the token.
    if (!isPreflight(request) && !hasToken(request, token)) {
      throw new LonghaulError(
        'provider_auth',
        'This gateway needs a token. Send the value of its LONGHAUL_GATEWAY_TOKEN as the API key.',
      );
    }
    return;
  }
  if (isLoopback(host) && !namesThisMachine(request, host)) {
    throw new LonghaulError(
      'approval_denied',
      'The Host header does not name this machine. To reach the gateway by another name, start it with a token (LONGHAUL_GATEWAY_TOKEN).',
    );
  }
  if (skipsPreflight(request)) {
    throw new LonghaulError(
      'approval_denied',
      'A page of another site must send content-type application/json, so that the browser asks first (CORS preflight). The upstream decides whether to allow it.',
    );
  }
}

/**
 * Returns headers that make a browser ask its user for the token, for the status page only. Browsers then send the
 * password by themselves, so no other endpoint accepts it.
 */
export function challenge(request: IncomingMessage): Record<string, string> {
  const isPage = isStatus(request) && /text\/html/.test(request.headers.accept ?? '');
  return isPage ? { 'www-authenticate': 'Basic realm="Longhaul gateway: the token is the password"' } : {};
}

function hasToken(request: IncomingMessage, token: string): boolean {
  return isSame(bearer(request), token) || (isStatus(request) && isSame(password(request), token));
}

function isStatus({ method, url = '' }: IncomingMessage): boolean {
  return method === 'GET' && /^\/(?:status)?(?:\?|$)/.test(url);
}

/** The password of Basic authentication. Source: RFC 7617. */
function password({ headers }: IncomingMessage): string {
  const encoded = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '');
}

function bearer({ headers }: IncomingMessage): string {
  return /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
