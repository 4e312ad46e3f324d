import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import type { GatewaySettings } from './gateway-core.ts';
import { comesUnasked, isPreflight } from './http/cross-origin.ts';
import { namesThisMachine } from './http/host-check.ts';

/** @throws {LonghaulError} `provider_auth` without the token; `approval_denied` for a name that is not this machine's. */
export function checkAccess({ host, token }: GatewaySettings, request: IncomingMessage): void {
  if (token !== undefined) {
    // Whether a page may ask is the upstream's to say; what it then asks brings the token.
    if (!isPreflight(request) && !brings(request, token)) {
      throw new LonghaulError(
        'provider_auth',
        "This gateway wants a token as the API key: the one in its owner's LONGHAUL_GATEWAY_TOKEN.",
      );
    }
    return;
  }
  if (isLoopback(host) && !namesThisMachine(request, host)) {
    throw new LonghaulError(
      'approval_denied',
      'The Host header does not name this machine. Where the gateway is reached by another name, start it with a token (LONGHAUL_GATEWAY_TOKEN).',
    );
  }
  if (comesUnasked(request)) {
    throw new LonghaulError(
      'approval_denied',
      'A page of another site may send only what its browser asks for first: set the content-type application/json. Whether it may is the upstream’s to say.',
    );
  }
}

/** Lets a browser ask its user for the token: it cannot be told to send one. Nothing but the status is open to what it then sends by itself. */
export function challenge(request: IncomingMessage): Record<string, string> {
  const isPage = isStatus(request) && /text\/html/.test(request.headers.accept ?? '');
  return isPage ? { 'www-authenticate': 'Basic realm="Longhaul gateway: the token is the password"' } : {};
}

function brings(request: IncomingMessage, token: string): boolean {
  return isSame(bearer(request), token) || (isStatus(request) && isSame(password(request), token));
}

function isStatus({ method, url = '' }: IncomingMessage): boolean {
  return method === 'GET' && /^\/(?:status)?(?:\?|$)/.test(url);
}

/** Source: RFC 7617. */
function password({ headers }: IncomingMessage): string {
  const encoded = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '');
}

function bearer({ headers }: IncomingMessage): string {
  return /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** As long for a wrong token as for the right one. */
function isSame(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
